package io.gauss.compute.expr.library;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Comparisons;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.EnumLabels;
import io.gauss.compute.type.EnumLabels.Label;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.util.List;

/**
 * Functions of enums: their first and last labels, ranges of labels, and those behind operators.
 */
final class EnumLibrary implements FunctionRegistry.Library {
  /** In the order of {@link Comparisons#SYMBOLS}. */
  private static final List<String> COMPARISONS =
      List.of("enum_eq", "enum_ne", "enum_lt", "enum_le", "enum_gt", "enum_ge");

  @Override
  public void register(Builder to) {
    // There are none of types that are no enums.
  }

  @Override
  public void registerEnum(Builder to, PgType type) {
    Define define = new Define(to);
    String name = define.name(type);
    String array = define.name(type.array());
    List<Label> labels = type.labels().inOrder();
    define.fn(
        "enum_first(" + name + ") " + name + " stable nulls",
        (ctx, a, out) -> out.setLong(committed(type, labels.isEmpty() ? null : labels.getFirst())));
    define.fn(
        "enum_last(" + name + ") " + name + " stable nulls",
        (ctx, a, out) -> out.setLong(committed(type, labels.isEmpty() ? null : labels.getLast())));
    define.fn(
        "enum_range(" + name + ") " + array + " stable nulls",
        (ctx, a, out) -> range(type, null, null, out));
    define.fn(
        "enum_range(" + name + ", " + name + ") " + array + " stable nulls",
        (ctx, a, b, out) -> range(type, a.isNull ? null : a, b.isNull ? null : b, out));
    String both = "(" + name + ", " + name + ") ";
    for (int i = 0; i < COMPARISONS.size(); i++) {
      int operator = i;
      define.fn(
          COMPARISONS.get(i) + both + "bool",
          (ctx, a, b, out) -> out.setBoolean(Comparisons.holds(operator, a.l, b.l)));
    }
    define.fn("enum_cmp" + both + "int4", (ctx, a, b, out) -> out.setLong(Long.compare(a.l, b.l)));
    define.fn("enum_smaller" + both + name, (ctx, a, b, out) -> out.setLong(Math.min(a.l, b.l)));
    define.fn("enum_larger" + both + name, (ctx, a, b, out) -> out.setLong(Math.max(a.l, b.l)));
  }

  private static long committed(PgType type, Label label) {
    if (label == null) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "enum %s contains no values".formatted(type.displayName()));
    }
    type.labels().requireCommitted(label);
    return label.code();
  }

  /**
   * @param from null = from the first label; same for the last
   */
  private static void range(PgType type, Value from, Value to, Value out) {
    EnumLabels labels = type.labels();
    ArrayBuilder array = new ArrayBuilder(type);
    TypeCodec codec = TypeCodec.of(type);
    Value item = new Value();
    for (Label label : labels.inOrder()) {
      boolean isIn =
          (from == null || label.code() >= from.l) && (to == null || label.code() <= to.l);
      if (isIn) {
        labels.requireCommitted(label);
        item.setLong(label.code());
        array.add(codec, item);
      }
    }
    array.finish(out);
  }
}
