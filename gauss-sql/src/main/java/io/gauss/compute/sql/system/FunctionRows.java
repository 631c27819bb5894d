package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.type.BuiltinFunction;
import io.gauss.compute.type.BuiltinFunctions;
import java.util.Map;
import java.util.function.Consumer;

/** pg_proc: the built-in functions. */
final class FunctionRows {
  private static final int PG_CATALOG = 11;

  private FunctionRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("pg_catalog.pg_proc", (state, rows) -> functions(rows));
  }

  private static void functions(Consumer<Object[]> rows) {
    for (BuiltinFunction function : BuiltinFunctions.all()) {
      int[] arguments = function.argumentTypes().stream().mapToInt(type -> type).toArray();
      rows.accept(
          new Object[] {
            function.oid(),
            function.name(),
            PG_CATALOG,
            SystemOids.OWNER,
            function.language(),
            function.cost(),
            function.rows(),
            function.variadic(),
            0,
            function.kind(),
            false,
            function.isLeakproof(),
            function.isStrict(),
            function.returnsSet(),
            function.volatility(),
            function.parallelSafety(),
            arguments.length,
            function.defaults(),
            function.resultType(),
            new SystemRow.Vector(arguments),
            function.allTypes(),
            function.modes(),
            function.names(),
            null,
            null,
            function.source(),
            null,
            null,
            null,
            null
          });
    }
  }
}
