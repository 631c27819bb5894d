package io.gauss.compute.expr.library;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A function as text, {@code name(type, ...)}, as has_function_privilege() takes it. */
final class FunctionSignature {
  private static final String CATALOG = "pg_catalog.";

  /** Made when it is first asked for: the libraries cannot have it when they register. */
  private static final class Registry {
    static final FunctionRegistry BUILT_IN = BuiltinLibraries.registry();
  }

  private FunctionSignature() {}

  /**
   * @throws GaussException 42883 when there is no such function, 22P02 when the text is none, 42704
   *     when there is no such type
   */
  static void requireExists(String text) {
    String written = text.strip();
    int open = written.indexOf('(');
    if (open < 0) {
      throw malformed("expected a left parenthesis");
    }
    if (!written.endsWith(")")) {
      throw malformed("expected a right parenthesis");
    }
    List<PgType> types = new ArrayList<>();
    String list = written.substring(open + 1, written.length() - 1);
    if (!list.isBlank()) {
      for (String type : list.split(",", -1)) {
        if (type.isBlank()) {
          throw malformed("expected a type name");
        }
        types.add(PgTypes.byName(type.strip().toLowerCase(Locale.ROOT)));
      }
    }
    String name = folded(written.substring(0, open).strip());
    if (name.startsWith(CATALOG)) {
      name = name.substring(CATALOG.length());
    }
    if (!Registry.BUILT_IN.isDeclared(name, types)) {
      throw new GaussException(
          SqlState.UNDEFINED_FUNCTION, "function \"%s\" does not exist".formatted(text));
    }
  }

  private static String folded(String name) {
    return name.length() >= 2 && name.startsWith("\"") && name.endsWith("\"")
        ? name.substring(1, name.length() - 1)
        : name.toLowerCase(Locale.ROOT);
  }

  private static GaussException malformed(String message) {
    return new GaussException(SqlState.INVALID_TEXT_REPRESENTATION, message);
  }
}
