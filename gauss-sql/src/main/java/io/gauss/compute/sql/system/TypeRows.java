package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.type.BuiltinFunctions;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.Map;
import java.util.function.Consumer;

/** pg_type, pg_am, pg_collation, pg_language. */
final class TypeRows {
  private static final int PG_CATALOG = 11;

  private TypeRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("pg_catalog.pg_type", (state, rows) -> types(rows));
    sources.put("pg_catalog.pg_am", (state, rows) -> accessMethods(rows));
    sources.put("pg_catalog.pg_collation", (state, rows) -> collations(rows));
    sources.put("pg_catalog.pg_language", TypeRows::languages);
  }

  static boolean byValue(PgType type) {
    return type.typlen() > 0 && type.typlen() <= 8;
  }

  static char alignment(PgType type) {
    return switch (type.typlen()) {
      case 1, 64 -> 'c';
      case 2 -> 's';
      case 8 -> 'd';
      default -> type.is(PgType.UUID) ? 'c' : 'i';
    };
  }

  static char storage(PgType type) {
    return type.typlen() > 0 ? 'p' : type.is(PgType.NUMERIC) ? 'm' : 'x';
  }

  static int collation(PgType type) {
    if (type.is(PgType.NAME)) {
      return SystemOids.C_COLLATION;
    }
    PgType element = type.isArray() ? type.element() : type;
    return element.is(PgType.TEXT) || element.is(PgType.VARCHAR) || element.is(PgType.BPCHAR)
        ? SystemOids.DEFAULT_COLLATION
        : 0;
  }

  private static void types(Consumer<Object[]> rows) {
    for (PgType type : PgTypes.all()) {
      boolean isArray = type.isArray() && !type.isVector();
      String io = isArray ? "array_" : type.name();
      PgType modified = isArray ? type.element() : type;
      rows.accept(
          new Object[] {
            type.oid(),
            type.name(),
            PG_CATALOG,
            SystemOids.OWNER,
            type.typlen(),
            byValue(type),
            type.isPseudo() ? 'p' : 'b',
            type.category(),
            type.preferred(),
            true,
            ',',
            0,
            subscripts(type),
            type.isArray() ? type.element().oid() : 0,
            type.isArray() ? 0 : type.arrayOid(),
            function(io, "in"),
            function(io, "out"),
            function(io, "recv"),
            function(io, "send"),
            BuiltinFunctions.oid(modified.name() + "typmodin"),
            BuiltinFunctions.oid(modified.name() + "typmodout"),
            isArray ? BuiltinFunctions.oid("array_typanalyze") : 0,
            alignment(type),
            storage(type),
            false,
            0,
            -1,
            0,
            collation(type),
            null,
            null,
            null
          });
    }
  }

  /** The function by which PostgreSQL reads parts of values in brackets; 0 = there are none. */
  private static int subscripts(PgType type) {
    if (type.is(PgType.JSONB)) {
      return BuiltinFunctions.oid("jsonb_subscript_handler");
    }
    return type.isArray() ? BuiltinFunctions.oid("array_subscript_handler") : 0;
  }

  /** {@code int4in} or {@code date_in}, the one that PostgreSQL has; 0 = none. */
  private static int function(String type, String what) {
    int plain = BuiltinFunctions.oid(type + what);
    return plain != 0 ? plain : BuiltinFunctions.oid(type + "_" + what);
  }

  private static void accessMethods(Consumer<Object[]> rows) {
    rows.accept(
        new Object[] {SystemOids.HEAP, "heap", BuiltinFunctions.oid("heap_tableam_handler"), 't'});
    rows.accept(new Object[] {SystemOids.BTREE, "btree", BuiltinFunctions.oid("bthandler"), 'i'});
  }

  private static void collations(Consumer<Object[]> rows) {
    rows.accept(
        new Object[] {
          SystemOids.DEFAULT_COLLATION,
          "default",
          PG_CATALOG,
          SystemOids.OWNER,
          'd',
          true,
          -1,
          null,
          null,
          null,
          null
        });
    rows.accept(
        new Object[] {
          SystemOids.C_COLLATION,
          "C",
          PG_CATALOG,
          SystemOids.OWNER,
          'c',
          true,
          -1,
          "C",
          "C",
          null,
          null
        });
  }

  private static void languages(SystemState state, Consumer<Object[]> rows) {
    rows.accept(new Object[] {12, "internal", SystemOids.OWNER, false, false, 0, 0, 0, null});
    rows.accept(new Object[] {14, "sql", SystemOids.OWNER, false, true, 0, 0, 0, null});
  }
}
