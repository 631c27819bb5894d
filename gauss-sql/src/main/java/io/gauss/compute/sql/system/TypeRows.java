package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.EnumDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.type.BuiltinFunctions;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.EnumLabels;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import io.gauss.compute.type.StoredTypes;
import java.util.Map;
import java.util.function.Consumer;

/** pg_type, pg_enum, pg_am, pg_collation, pg_language. */
final class TypeRows {
  private static final int PG_CATALOG = 11;

  // Positions of columns.
  private static final int SCHEMA = 2;
  private static final int OWNER = 3;
  private static final int TYPE = 6;
  private static final int PREFERRED = 8;
  private static final int SUBSCRIPT = 12;
  private static final int ELEMENT = 13;
  private static final int INPUT = 15;
  private static final int RECEIVE = 17;
  private static final int TYPMOD_IN = 19;
  private static final int TYPMOD_OUT = 20;
  private static final int NOT_NULL = 24;
  private static final int BASE = 25;
  private static final int TYPMOD = 26;
  private static final int DIMENSIONS = 27;
  private static final int DEFAULT = 30;
  private static final int ACL = 31;

  private TypeRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("pg_catalog.pg_type", TypeRows::types);
    sources.put("pg_catalog.pg_enum", TypeRows::labels);
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

  private static void types(SystemState state, Consumer<Object[]> rows) {
    for (PgType type : PgTypes.all()) {
      rows.accept(type(type));
    }
    for (TypeDef made : state.catalog().typeDefs()) {
      Object[] row = made instanceof DomainDef domain ? domain(state, domain) : type(made.type());
      row[SCHEMA] = RelationRows.namespace(state.catalog(), made.schema());
      row[OWNER] = RoleRows.owner(state, made.oid());
      row[ACL] = RoleRows.accessList(state, made.oid());
      rows.accept(row);
      Object[] array = array(made);
      array[SCHEMA] = row[SCHEMA];
      array[OWNER] = row[OWNER];
      rows.accept(array);
    }
  }

  /** An array of a domain over an array has no values here, but clients may look for its row. */
  private static Object[] array(TypeDef made) {
    PgType array = made.type().array();
    Object[] row = type(array == null ? PgType.TEXT.array() : array);
    row[0] = made.arrayOid();
    row[1] = made.arrayName();
    row[ELEMENT] = made.oid();
    return row;
  }

  private static Object[] domain(SystemState state, DomainDef made) {
    DomainType domain = made.domain();
    PgType base = made.type().baseType();
    Object[] row = type(base.withTypmod(-1));
    row[0] = made.oid();
    row[1] = made.name();
    row[TYPE] = 'd';
    row[PREFERRED] = false;
    row[SUBSCRIPT] = 0;
    row[ELEMENT] = 0;
    row[ELEMENT + 1] = made.arrayOid();
    row[INPUT] = BuiltinFunctions.oid("domain_in");
    row[RECEIVE] = BuiltinFunctions.oid("domain_recv");
    row[TYPMOD_IN] = 0;
    row[TYPMOD_OUT] = 0;
    row[NOT_NULL] = domain.notNull();
    row[BASE] = domain.base().declaredOid();
    row[TYPMOD] = domain.base().declaredTypmod();
    row[DIMENSIONS] = domain.base().isPlainArray() ? 1 : 0;
    row[DEFAULT - 1] = domain.defaultSql();
    row[DEFAULT] = StoredTypes.shown(domain.defaultSql(), state::typeName);
    return row;
  }

  private static Object[] type(PgType type) {
    boolean isArray = type.isArray() && !type.isVector();
    String io = isArray ? "array_" : type.isEnum() ? "enum_" : type.name();
    String modified = (isArray ? type.element() : type).name();
    return new Object[] {
      type.declaredOid(),
      type.name(),
      PG_CATALOG,
      SystemOids.OWNER,
      type.typlen(),
      byValue(type),
      type.isPseudo() ? 'p' : type.isEnum() ? 'e' : 'b',
      type.category(),
      type.preferred(),
      true,
      ',',
      0,
      subscripts(type),
      type.isArray() ? type.element().declaredOid() : 0,
      type.isArray() ? 0 : type.arrayOid(),
      function(io, "in"),
      function(io, "out"),
      function(io, "recv"),
      function(io, "send"),
      type.isUserDefined() ? 0 : BuiltinFunctions.oid(modified + "typmodin"),
      type.isUserDefined() ? 0 : BuiltinFunctions.oid(modified + "typmodout"),
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
    };
  }

  private static void labels(SystemState state, Consumer<Object[]> rows) {
    for (EnumDef type : state.catalog().enums()) {
      for (EnumLabels.Label label : type.labels()) {
        rows.accept(
            new Object[] {
              label.oid(), type.oid(), Double.valueOf(label.sortOrder()), label.name()
            });
      }
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
