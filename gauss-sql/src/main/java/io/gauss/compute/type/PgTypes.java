package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds types by oid and by SQL name, and prints them as PostgreSQL's format_type does. */
public final class PgTypes {
  private static final List<PgType> SCALARS =
      List.of(
          PgType.BOOL,
          PgType.BYTEA,
          PgType.CHAR,
          PgType.NAME,
          PgType.INT8,
          PgType.INT2,
          PgType.INT4,
          PgType.TEXT,
          PgType.OID,
          PgType.FLOAT4,
          PgType.FLOAT8,
          PgType.UNKNOWN,
          PgType.BPCHAR,
          PgType.VARCHAR,
          PgType.DATE,
          PgType.TIME,
          PgType.TIMESTAMP,
          PgType.TIMESTAMPTZ,
          PgType.INTERVAL,
          PgType.NUMERIC,
          PgType.JSON,
          PgType.JSONB,
          PgType.UUID,
          PgType.REGCLASS,
          PgType.REGTYPE,
          PgType.REGPROC,
          PgType.REGPROCEDURE,
          PgType.REGNAMESPACE,
          PgType.REGROLE,
          PgType.REGOPERATOR,
          PgType.VOID,
          PgType.ANY);

  private static final List<PgType> ARRAYS =
      List.of(
          PgType.BOOL_ARRAY,
          PgType.BYTEA_ARRAY,
          PgType.CHAR_ARRAY,
          PgType.NAME_ARRAY,
          PgType.INT8_ARRAY,
          PgType.INT2_ARRAY,
          PgType.INT4_ARRAY,
          PgType.TEXT_ARRAY,
          PgType.OID_ARRAY,
          PgType.FLOAT4_ARRAY,
          PgType.FLOAT8_ARRAY,
          PgType.BPCHAR_ARRAY,
          PgType.VARCHAR_ARRAY,
          PgType.DATE_ARRAY,
          PgType.TIME_ARRAY,
          PgType.TIMESTAMP_ARRAY,
          PgType.TIMESTAMPTZ_ARRAY,
          PgType.INTERVAL_ARRAY,
          PgType.NUMERIC_ARRAY,
          PgType.UUID_ARRAY,
          PgType.JSON_ARRAY,
          PgType.JSONB_ARRAY,
          PgType.REGPROC_ARRAY,
          PgType.REGPROCEDURE_ARRAY,
          PgType.REGCLASS_ARRAY,
          PgType.REGTYPE_ARRAY,
          PgType.REGNAMESPACE_ARRAY,
          PgType.REGROLE_ARRAY);

  private static final List<PgType> VECTORS = List.of(PgType.INT2VECTOR, PgType.OIDVECTOR);

  private static final Map<Integer, PgType> BY_OID = new HashMap<>();
  private static final Map<String, PgType> BY_NAME = new HashMap<>();
  private static final Map<String, PgType> BY_CATALOG_NAME = new HashMap<>();

  /** Real PostgreSQL types that Gauss does not have, to distinguish them from misspelt names. */
  private static final Set<String> UNSUPPORTED =
      Set.of(
          "xml",
          "money",
          "timetz",
          "time with time zone",
          "inet",
          "cidr",
          "macaddr",
          "macaddr8",
          "bit",
          "bit varying",
          "varbit",
          "point",
          "line",
          "lseg",
          "box",
          "path",
          "polygon",
          "circle",
          "tsvector",
          "tsquery",
          "jsonpath",
          "int4range",
          "int8range",
          "numrange",
          "tsrange",
          "tstzrange",
          "daterange",
          "pg_lsn",
          "txid_snapshot",
          "record",
          "refcursor",
          "hstore");

  static {
    for (PgType type : SCALARS) {
      BY_OID.put(type.oid(), type);
      BY_CATALOG_NAME.put(type.name(), type);
      if (!type.isPseudo()
          && !type.isUnknown()
          && !type.is(PgType.CHAR)
          && !type.is(PgType.REGOPERATOR)) {
        BY_NAME.put(type.name(), type);
      }
    }
    for (PgType type : VECTORS) {
      BY_OID.put(type.oid(), type);
      BY_CATALOG_NAME.put(type.name(), type);
      BY_NAME.put(type.name(), type);
    }
    for (PgType type : ARRAYS) {
      BY_OID.put(type.oid(), type);
      BY_CATALOG_NAME.put(type.name(), type);
      BY_NAME.put(type.name(), type);
    }
    alias(PgType.BOOL, "boolean");
    alias(PgType.INT2, "smallint", "smallserial", "serial2");
    alias(PgType.INT4, "int", "integer", "serial", "serial4");
    alias(PgType.INT8, "bigint", "bigserial", "serial8");
    alias(PgType.NUMERIC, "decimal", "dec");
    alias(PgType.FLOAT4, "real");
    alias(PgType.FLOAT8, "double precision", "float");
    alias(
        PgType.VARCHAR,
        "character varying",
        "char varying",
        "nchar varying",
        "national character varying",
        "national char varying");
    alias(PgType.BPCHAR, "character", "char", "nchar", "national character", "national char");
    alias(PgType.TIME, "time without time zone");
    alias(PgType.TIMESTAMP, "timestamp without time zone");
    alias(PgType.TIMESTAMPTZ, "timestamp with time zone");
    alias(PgType.CHAR, "\"char\"");
  }

  private static final int MAX_LENGTH = 10485760;

  private PgTypes() {}

  /** All types, in no particular order. */
  public static List<PgType> all() {
    return List.copyOf(BY_OID.values());
  }

  private static void alias(PgType type, String... names) {
    for (String name : names) {
      BY_NAME.put(name, type);
    }
  }

  /** All types with values, arrays included; for catalogs. */
  public static List<PgType> scalars() {
    return SCALARS;
  }

  public static List<PgType> arrays() {
    return ARRAYS;
  }

  /** The type without modifier, or null. */
  public static PgType byOidOrNull(int oid) {
    return BY_OID.get(oid);
  }

  /**
   * @throws GaussException 42704 when there is none
   */
  public static PgType byOid(int oid) {
    PgType type = BY_OID.get(oid);
    if (type == null) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT, "type with OID " + oid + " does not exist");
    }
    return type;
  }

  /**
   * Whether the name is one of smallserial, serial, bigserial or an alias: an integer with its own
   * sequence.
   */
  public static boolean isSerial(String name) {
    return switch (name) {
      case "serial", "serial4", "bigserial", "serial8", "smallserial", "serial2" -> true;
      default -> false;
    };
  }

  /**
   * Finds a type by its SQL name.
   *
   * @param name folded name, words separated by one blank, for example {@code double precision},
   *     {@code int4}, {@code timestamp with time zone}; a trailing {@code []} asks for the array;
   *     the type "char" of catalogs comes with its quotes
   * @param modifiers numbers in parentheses
   * @throws GaussException 42704 unknown, 0A000 known but missing in Gauss, 22023 modifier out of
   *     range, 42601 modifier where none is allowed
   */
  public static PgType byName(String name, int... modifiers) {
    String plain = name.startsWith("pg_catalog.") ? name.substring("pg_catalog.".length()) : name;
    if (plain.endsWith("[]")) {
      PgType element = byName(plain.substring(0, plain.length() - 2).strip(), modifiers);
      PgType array = element.array();
      if (array == null) {
        throw GaussException.notSupported("type " + name);
      }
      return array.withTypmod(element.typmod());
    }
    PgType type = BY_NAME.get(plain);
    if (type == null) {
      if (UNSUPPORTED.contains(plain)) {
        throw GaussException.notSupported("type " + plain);
      }
      throw new GaussException(SqlState.UNDEFINED_OBJECT, "type \"" + name + "\" does not exist");
    }
    if (modifiers.length == 0) {
      boolean oneCharacter = type.is(PgType.BPCHAR) && !plain.equals("bpchar");
      return oneCharacter ? PgType.bpchar(1) : type;
    }
    return withModifiers(type, plain, modifiers);
  }

  /** The type with this name in pg_type, null when there is none; for casts written as calls. */
  public static PgType byInternalName(String name) {
    PgType type = BY_NAME.get(name);
    return type != null && type.name().equals(name) && !type.isArray() ? type : null;
  }

  /** The type of this typname, also one without values; null when there is none. */
  static PgType byCatalogName(String name) {
    return BY_CATALOG_NAME.get(name);
  }

  /** Whether PostgreSQL has a type that is written so, and Gauss has not. */
  static boolean isUnsupported(String name) {
    return UNSUPPORTED.contains(name);
  }

  /** The type that is written so, without modifiers; null when Gauss has none. */
  public static PgType byNameOrNull(String name) {
    return BY_NAME.get(name);
  }

  private static PgType withModifiers(PgType type, String name, int[] modifiers) {
    int first = modifiers[0];
    switch (type.oid()) {
      case 1700:
        if (modifiers.length > 2) {
          throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE, "invalid NUMERIC type modifier");
        }
        return numeric(first, modifiers.length == 2 ? modifiers[1] : 0);
      case 1042, 1043:
        if (modifiers.length > 1) {
          throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, "invalid type modifier");
        }
        String shown = type.is(PgType.VARCHAR) ? "varchar" : "char";
        if (first < 1) {
          throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE, "length for type " + shown + " must be at least 1");
        }
        if (first > MAX_LENGTH) {
          throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE,
              "length for type " + shown + " cannot exceed " + MAX_LENGTH);
        }
        return type.is(PgType.VARCHAR) ? PgType.varchar(first) : PgType.bpchar(first);
      case 701:
        if (!name.equals("float")) {
          break;
        }
        if (first < 1) {
          throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE, "precision for type float must be at least 1 bit");
        }
        if (first > 53) {
          throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE,
              "precision for type float must be less than 54 bits");
        }
        return first <= 24 ? PgType.FLOAT4 : PgType.FLOAT8;
      case 1083, 1114, 1184:
        if (modifiers.length > 1) {
          throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, "invalid type modifier");
        }
        if (first < 0) {
          throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE,
              switch (type.oid()) {
                case 1083 -> "TIME(" + first + ") precision must not be negative";
                case 1114 -> "TIMESTAMP(" + first + ") precision must not be negative";
                default -> "TIMESTAMP(" + first + ") WITH TIME ZONE precision must not be negative";
              });
        }
        // PostgreSQL lowers a larger precision to 6 with a warning.
        return type.withTypmod(Math.min(first, 6));
      case 1186:
        throw GaussException.notSupported("precision of type interval");
      default:
        break;
    }
    throw new GaussException(
        SqlState.SYNTAX_ERROR, "type modifier is not allowed for type \"" + name + "\"");
  }

  /** numeric(precision, scale) with PostgreSQL's limits. */
  static PgType numeric(int precision, int scale) {
    if (precision < 1 || precision > 1000) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "NUMERIC precision " + precision + " must be between 1 and 1000");
    }
    if (scale < -1000 || scale > 1000) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "NUMERIC scale " + scale + " must be between -1000 and 1000");
    }
    return PgType.numeric(precision, scale);
  }

  static String formatBare(PgType type) {
    if (type.isDomain()) {
      return Quoting.identifier(type.name());
    }
    if (type.isArray() && !type.isVector()) {
      return formatBare(type.element()) + "[]";
    }
    return switch (type.oid()) {
      case 16 -> "boolean";
      case 18 -> "\"char\"";
      case 20 -> "bigint";
      case 21 -> "smallint";
      case 23 -> "integer";
      case 700 -> "real";
      case 701 -> "double precision";
      case 1042 -> "character";
      case 1043 -> "character varying";
      case 1083 -> "time without time zone";
      case 1114 -> "timestamp without time zone";
      case 1184 -> "timestamp with time zone";
      case 2276 -> "\"any\"";
      default -> type.isUserDefined() ? Quoting.identifier(type.name()) : type.name();
    };
  }

  static String format(PgType type) {
    if (type.isDomain() || type.isArrayOfDomain()) {
      return formatBare(type);
    }
    if (type.isArray() && !type.isVector()) {
      return format(type.element().withTypmod(type.typmod())) + "[]";
    }
    if (type.typmod() < 0) {
      return type.is(PgType.BPCHAR) ? "bpchar" : formatBare(type);
    }
    return switch (type.oid()) {
      case 1042, 1043 -> formatBare(type) + "(" + type.length() + ")";
      case 1700 -> "numeric(" + type.precision() + "," + type.scale() + ")";
      case 1083, 1114, 1184 -> {
        String bare = formatBare(type);
        int blank = bare.indexOf(' ');
        yield bare.substring(0, blank) + "(" + type.typmod() + ")" + bare.substring(blank);
      }
      default -> formatBare(type);
    };
  }
}
