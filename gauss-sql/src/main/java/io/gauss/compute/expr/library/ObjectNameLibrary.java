package io.gauss.compute.expr.library;

import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.ObjectNames;

/**
 * {@code to_regclass} and similar functions, which answer NULL where a cast to the type fails
 * because there is no such object. Drivers ask so whether a type is there.
 */
final class ObjectNameLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    find(define, "class", ObjectNames.RELATIONS);
    find(define, "type", ObjectNames.TYPES);
    find(define, "proc", ObjectNames.FUNCTIONS);
    find(define, "procedure", ObjectNames.PROCEDURES);
    find(define, "namespace", ObjectNames.SCHEMAS);
    find(define, "role", ObjectNames.ROLES);
  }

  private static void find(Define define, String kind, ObjectNames names) {
    define.fn(
        "to_reg%s(text) reg%s stable".formatted(kind, kind),
        (ctx, a, out) -> {
          int oid = names.find(Texts.get(a), ctx);
          if (oid == 0) {
            out.setNull();
          } else {
            out.setLong(Integer.toUnsignedLong(oid));
          }
        });
  }
}
