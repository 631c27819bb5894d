package io.gauss.compute.type;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A PostgreSQL type together with its modifier: {@code numeric(10,2)} is {@link #NUMERIC} with a
 * typmod. Immutable; equal when oid and modifier are equal, so compare with {@link #sameType} where
 * the modifier does not matter.
 *
 * <p>Object ids, lengths, categories and the encoding of modifiers are PostgreSQL's, since clients
 * see them in row descriptions and catalogs. How values are held: {@link ValueKind}.
 *
 * <ul>
 *   <li>date: days since 2000-01-01; time: µs of the day; timestamp, timestamptz: µs since
 *       2000-01-01 00:00 (UTC). The largest and smallest long (int for date) are infinity and
 *       -infinity.
 *   <li>interval: 16 bytes as in PostgreSQL's binary format: µs (int8), days (int4), months (int4),
 *       big-endian.
 *   <li>char(n): padded with blanks to n characters.
 *   <li>json: the text. jsonb: a format of our own, {@code JsonbLayout}.
 *   <li>uuid: 16 bytes. Arrays: PostgreSQL's binary format.
 *   <li>enums: the code of the label, see {@link EnumLabels}.
 *   <li>domains: as their base type.
 * </ul>
 *
 * <p>Types that CREATE TYPE makes are objects of their version of the catalog: two versions of one
 * are the {@linkplain #sameType same type}, but not equal.
 *
 * <p>A domain is its base type with a note, as one with a modifier is: oid, kind and modifier are
 * those of the base type, so everything that is done with values of that can be done with those of
 * the domain, and {@link #withTypmod} removes the note. An array of a domain is an array of the
 * base type whose element type has the note. What clients and the catalog call the type: {@link
 * #declaredOid}, {@link #name}.
 */
public final class PgType {
  public static final PgType BOOL = new PgType(16, "bool", 1, 'B', true, ValueKind.LONG, 1000);
  public static final PgType BYTEA = new PgType(17, "bytea", -1, 'U', false, ValueKind.BYTES, 1001);

  /** The one-byte type {@code "char"} of system catalogs. */
  public static final PgType CHAR = new PgType(18, "char", 1, 'Z', false, ValueKind.BYTES, 1002);

  public static final PgType NAME = new PgType(19, "name", 64, 'S', false, ValueKind.BYTES, 1003);
  public static final PgType INT8 = new PgType(20, "int8", 8, 'N', false, ValueKind.LONG, 1016);
  public static final PgType INT2 = new PgType(21, "int2", 2, 'N', false, ValueKind.LONG, 1005);
  public static final PgType INT4 = new PgType(23, "int4", 4, 'N', false, ValueKind.LONG, 1007);
  public static final PgType TEXT = new PgType(25, "text", -1, 'S', true, ValueKind.BYTES, 1009);
  public static final PgType OID = new PgType(26, "oid", 4, 'N', true, ValueKind.LONG, 1028);
  public static final PgType FLOAT4 =
      new PgType(700, "float4", 4, 'N', false, ValueKind.DOUBLE, 1021);
  public static final PgType FLOAT8 =
      new PgType(701, "float8", 8, 'N', true, ValueKind.DOUBLE, 1022);

  /** Type of a quoted literal or parameter before it is resolved. */
  public static final PgType UNKNOWN =
      new PgType(705, "unknown", -2, 'X', false, ValueKind.BYTES, 0);

  public static final PgType BPCHAR =
      new PgType(1042, "bpchar", -1, 'S', false, ValueKind.BYTES, 1014);
  public static final PgType VARCHAR =
      new PgType(1043, "varchar", -1, 'S', false, ValueKind.BYTES, 1015);
  public static final PgType DATE = new PgType(1082, "date", 4, 'D', false, ValueKind.LONG, 1182);
  public static final PgType TIME = new PgType(1083, "time", 8, 'D', false, ValueKind.LONG, 1183);
  public static final PgType TIMESTAMP =
      new PgType(1114, "timestamp", 8, 'D', false, ValueKind.LONG, 1115);
  public static final PgType TIMESTAMPTZ =
      new PgType(1184, "timestamptz", 8, 'D', true, ValueKind.LONG, 1185);
  public static final PgType INTERVAL =
      new PgType(1186, "interval", 16, 'T', true, ValueKind.BYTES, 1187);
  public static final PgType NUMERIC =
      new PgType(1700, "numeric", -1, 'N', false, ValueKind.NUMERIC, 1231);
  public static final PgType JSON = new PgType(114, "json", -1, 'U', false, ValueKind.BYTES, 199);
  public static final PgType JSONB =
      new PgType(3802, "jsonb", -1, 'U', false, ValueKind.BYTES, 3807);
  public static final PgType UUID = new PgType(2950, "uuid", 16, 'U', false, ValueKind.BYTES, 2951);
  public static final PgType REGCLASS =
      new PgType(2205, "regclass", 4, 'N', false, ValueKind.LONG, 2210);
  public static final PgType REGTYPE =
      new PgType(2206, "regtype", 4, 'N', false, ValueKind.LONG, 2211);
  public static final PgType REGPROC =
      new PgType(24, "regproc", 4, 'N', false, ValueKind.LONG, 1008);
  public static final PgType REGPROCEDURE =
      new PgType(2202, "regprocedure", 4, 'N', false, ValueKind.LONG, 2207);
  public static final PgType REGNAMESPACE =
      new PgType(4089, "regnamespace", 4, 'N', false, ValueKind.LONG, 4090);
  public static final PgType REGROLE =
      new PgType(4096, "regrole", 4, 'N', false, ValueKind.LONG, 4097);

  /**
   * No value has this type: it is for columns of empty results in psql's queries on operator
   * families.
   */
  public static final PgType REGOPERATOR =
      new PgType(2204, "regoperator", 4, 'N', false, ValueKind.LONG, 2209);

  public static final PgType VOID = new PgType(2278, "void", 4, 'P', false, ValueKind.BYTES, 0);

  /**
   * A row as a value, which only functions on JSON take: it is held as the JSON object that they
   * make of it. No column has this type.
   */
  public static final PgType RECORD =
      new PgType(2249, "record", -1, 'P', false, ValueKind.BYTES, 0);

  /** Pseudo type of signatures: an argument of any type, but not an untyped literal. */
  public static final PgType ANYELEMENT =
      new PgType(2283, "anyelement", 4, 'P', false, ValueKind.BYTES, 0);

  /** Pseudo type of signatures: an argument of any type. */
  public static final PgType ANY = new PgType(2276, "any", 4, 'P', false, ValueKind.BYTES, 0);

  /** Pseudo type of signatures: any type but arrays. */
  public static final PgType ANYNONARRAY =
      new PgType(2776, "anynonarray", 4, 'P', false, ValueKind.BYTES, 0);

  /** Stands for all enums: what they have in common is defined for it, too. */
  public static final PgType ANYENUM =
      enumType(3500, 0, "pg_catalog", "anyenum", "_anyenum", new EnumLabels("anyenum", List.of()));

  public static final PgType BOOL_ARRAY = arrayType(BOOL);
  public static final PgType BYTEA_ARRAY = arrayType(BYTEA);
  public static final PgType CHAR_ARRAY = arrayType(CHAR);
  public static final PgType NAME_ARRAY = arrayType(NAME);
  public static final PgType INT8_ARRAY = arrayType(INT8);
  public static final PgType INT2_ARRAY = arrayType(INT2);
  public static final PgType INT4_ARRAY = arrayType(INT4);
  public static final PgType TEXT_ARRAY = arrayType(TEXT);
  public static final PgType OID_ARRAY = arrayType(OID);
  public static final PgType FLOAT4_ARRAY = arrayType(FLOAT4);
  public static final PgType FLOAT8_ARRAY = arrayType(FLOAT8);
  public static final PgType BPCHAR_ARRAY = arrayType(BPCHAR);
  public static final PgType VARCHAR_ARRAY = arrayType(VARCHAR);
  public static final PgType DATE_ARRAY = arrayType(DATE);
  public static final PgType TIME_ARRAY = arrayType(TIME);
  public static final PgType TIMESTAMP_ARRAY = arrayType(TIMESTAMP);
  public static final PgType TIMESTAMPTZ_ARRAY = arrayType(TIMESTAMPTZ);
  public static final PgType INTERVAL_ARRAY = arrayType(INTERVAL);
  public static final PgType NUMERIC_ARRAY = arrayType(NUMERIC);
  public static final PgType UUID_ARRAY = arrayType(UUID);
  public static final PgType JSON_ARRAY = arrayType(JSON);
  public static final PgType JSONB_ARRAY = arrayType(JSONB);
  public static final PgType REGPROC_ARRAY = arrayType(REGPROC);
  public static final PgType REGPROCEDURE_ARRAY = arrayType(REGPROCEDURE);
  public static final PgType REGCLASS_ARRAY = arrayType(REGCLASS);
  public static final PgType REGTYPE_ARRAY = arrayType(REGTYPE);
  public static final PgType REGNAMESPACE_ARRAY = arrayType(REGNAMESPACE);
  public static final PgType REGROLE_ARRAY = arrayType(REGROLE);

  /** Lists of catalogs: arrays whose subscripts begin at 0, and whose text is one of numbers. */
  public static final PgType INT2VECTOR =
      new PgType(22, "int2vector", -1, 'A', false, ValueKind.BYTES, 0, INT2, -1);

  public static final PgType OIDVECTOR =
      new PgType(30, "oidvector", -1, 'A', false, ValueKind.BYTES, 0, OID, -1);

  /** Added to length modifiers, so that 0 stays free; PostgreSQL's VARHDRSZ. */
  private static final int HEADER = 4;

  private final int oid;
  private final String name;
  private final int typlen;
  private final char category;
  private final boolean preferred;
  private final ValueKind kind;
  private final int arrayOid;
  private final PgType element;
  private final int typmod;

  /** Of enums and their arrays; null for other types. */
  private final UserType user;

  /** Null when it is no domain. */
  private final DomainType domain;

  private PgType(
      int oid,
      String name,
      int typlen,
      char category,
      boolean preferred,
      ValueKind kind,
      int arrayOid) {
    this(oid, name, typlen, category, preferred, kind, arrayOid, null, -1);
  }

  private PgType(
      int oid,
      String name,
      int typlen,
      char category,
      boolean preferred,
      ValueKind kind,
      int arrayOid,
      PgType element,
      int typmod) {
    this(oid, name, typlen, category, preferred, kind, arrayOid, element, typmod, null);
  }

  private PgType(
      int oid,
      String name,
      int typlen,
      char category,
      boolean preferred,
      ValueKind kind,
      int arrayOid,
      PgType element,
      int typmod,
      UserType user) {
    this(oid, name, typlen, category, preferred, kind, arrayOid, element, typmod, user, null);
  }

  private PgType(
      int oid,
      String name,
      int typlen,
      char category,
      boolean preferred,
      ValueKind kind,
      int arrayOid,
      PgType element,
      int typmod,
      UserType user,
      DomainType domain) {
    this.oid = oid;
    this.name = name;
    this.typlen = typlen;
    this.category = category;
    this.preferred = preferred;
    this.kind = kind;
    this.arrayOid = arrayOid;
    this.element = element;
    this.typmod = typmod;
    this.user = user;
    this.domain = domain;
  }

  /** A domain. */
  static PgType of(DomainType domain) {
    PgType base = domain.base().baseType();
    return new PgType(
        base.oid,
        domain.name(),
        base.typlen,
        base.category,
        base.preferred,
        base.kind,
        base.arrayOid,
        base.element,
        base.typmod,
        base.user,
        domain);
  }

  /**
   * An enum type.
   *
   * @param arrayName name of its array type, whose oid is {@code arrayOid}
   */
  public static PgType enumType(
      int oid, int arrayOid, String schema, String name, String arrayName, EnumLabels labels) {
    return new PgType(
        oid,
        name,
        4,
        'E',
        false,
        ValueKind.LONG,
        arrayOid,
        null,
        -1,
        new UserType(schema, name, arrayName, labels));
  }

  /**
   * Stands for a type that CREATE TYPE has made, where only its oid is known: in an object of the
   * catalog that has been read and not yet put beside the others. It has no values.
   */
  public static PgType reference(int oid, int typmod) {
    return new PgType(oid, "???", -1, 'X', false, ValueKind.BYTES, 0, null, typmod);
  }

  /** Whether it only stands for another type. */
  public boolean isReference() {
    return category == 'X' && oid != UNKNOWN.oid;
  }

  private static PgType arrayType(PgType element) {
    return new PgType(
        element.arrayOid, "_" + element.name, -1, 'A', false, ValueKind.BYTES, 0, element, -1);
  }

  /** numeric(precision, scale); both as checked by {@link PgTypes#numeric}. */
  public static PgType numeric(int precision, int scale) {
    return NUMERIC.withTypmod(((precision << 16) | (scale & 0x7FF)) + HEADER);
  }

  public static PgType varchar(int characters) {
    return VARCHAR.withTypmod(characters + HEADER);
  }

  public static PgType bpchar(int characters) {
    return BPCHAR.withTypmod(characters + HEADER);
  }

  /** This type with another modifier; -1 is none. Of a domain it is the base type. */
  public PgType withTypmod(int modifier) {
    if (domain != null) {
      return domain.base().baseType().withTypmod(modifier);
    }
    if (element != null && element.domain != null) {
      return element.baseType().withTypmod(-1).array().withTypmod(modifier);
    }
    return modifier == typmod
        ? this
        : new PgType(
            oid, name, typlen, category, preferred, kind, arrayOid, element, modifier, user);
  }

  /** Oid of what the type is apart from being a domain: that of the base type. */
  public int oid() {
    return oid;
  }

  /** Oid of the type in pg_type: of a domain, or an array of one, its own. */
  public int declaredOid() {
    if (domain != null) {
      return domain.oid();
    }
    return element != null && element.domain != null ? element.domain.arrayOid() : oid;
  }

  /** Modifier of columns of this type in pg_attribute: those of domains have none. */
  public int declaredTypmod() {
    return domain != null ? -1 : typmod;
  }

  /** The type below domains; of one that is no domain the type itself. */
  public PgType baseType() {
    return domain == null ? this : domain.base().baseType();
  }

  /** Whether a value has to be checked when it becomes one of this type. */
  public boolean isConstrained() {
    if (domain != null && domain.isConstrained()) {
      return true;
    }
    PgType base = baseType();
    return base.element != null
        && base.element.domain != null
        && base.element.domain.isConstrained();
  }

  public boolean isDomain() {
    return domain != null;
  }

  /** What makes the type a domain; null for others. */
  public DomainType domain() {
    return domain;
  }

  /** Whether it is an array of a domain; a domain over one is none. */
  public boolean isArrayOfDomain() {
    return domain == null && element != null && element.domain != null;
  }

  /** pg_type.typname, for example {@code int4}. */
  public String name() {
    return name;
  }

  /** pg_type.typlen: bytes, or -1 variable, -2 C string. */
  public int typlen() {
    return typlen;
  }

  /** The modifier as PostgreSQL encodes it, -1 when there is none. */
  public int typmod() {
    return typmod;
  }

  public ValueKind kind() {
    return kind;
  }

  /** pg_type.typcategory. */
  public char category() {
    return category;
  }

  /** Whether it is the preferred type of its category in overload resolution. */
  public boolean preferred() {
    return preferred;
  }

  /** Oid of the array type over this one, 0 when there is none. */
  public int arrayOid() {
    return domain == null ? arrayOid : domain.arrayOid();
  }

  /** Element type of an array, else null. */
  public PgType element() {
    return element;
  }

  public boolean isArray() {
    return element != null;
  }

  /** Whether it is an array, and no domain over one. */
  public boolean isPlainArray() {
    return element != null && domain == null;
  }

  /** Whether it is int2vector or oidvector, which are arrays too. */
  public boolean isVector() {
    return oid == 22 || oid == 30;
  }

  /** Array type over this type, null when there is none. */
  public PgType array() {
    if (domain != null) {
      PgType base = element == null ? withTypmod(-1).array() : null;
      return base == null
          ? null // an array of arrays
          : new PgType(
              base.oid,
              domain.arrayName(),
              -1,
              'A',
              false,
              ValueKind.BYTES,
              0,
              this,
              -1,
              base.user);
    }
    if (user != null && element == null) {
      return new PgType(
          arrayOid, user.arrayName, -1, 'A', false, ValueKind.BYTES, 0, this, -1, user);
    }
    return arrayOid == 0 ? null : PgTypes.byOidOrNull(arrayOid);
  }

  /** Whether CREATE TYPE or CREATE DOMAIN has made it, or the type that it is an array of. */
  public boolean isUserDefined() {
    return user != null || domain != null || element != null && element.domain != null;
  }

  /**
   * Oid of the object of the catalog that defines it: of an array it is that of the elements' type.
   * 0 for built-in types.
   */
  public int definitionOid() {
    if (domain != null) {
      return domain.oid();
    }
    if (element != null) {
      return element.definitionOid();
    }
    return user == null ? 0 : oid;
  }

  /** The same, before it those of what a domain is made over; empty for built-in types. */
  public List<Integer> definitionOids() {
    List<Integer> oids = new ArrayList<>();
    if (domain != null) {
      oids.addAll(domain.base().definitionOids());
    } else if (element != null) {
      return element.definitionOids();
    }
    if (definitionOid() != 0) {
      oids.add(definitionOid());
    }
    return oids;
  }

  /** Tells its version from all others of this and other types; 0 for built-in types. */
  public long stamp() {
    if (domain != null) {
      return domain.stamp();
    }
    if (element != null && element.domain != null) {
      return element.domain.stamp();
    }
    return user == null ? 0 : user.labels.stamp();
  }

  /** Whether values are those of an enum; an array of enums is none. */
  public boolean isEnum() {
    return user != null && element == null;
  }

  /** Whether values are those of an enum, or of an array of one. */
  public boolean isOfEnum() {
    return user != null;
  }

  /** Labels of an enum, or of the enum that it is an array of. */
  public EnumLabels labels() {
    return user.labels;
  }

  /** Schema of a type that CREATE TYPE or CREATE DOMAIN has made. */
  public String schema() {
    if (domain != null) {
      return domain.schema();
    }
    return element != null && element.domain != null ? element.domain.schema() : user.schema;
  }

  /** The codec of an enum, or of an array of enums or of a domain; null for others. */
  TypeCodec ownCodec() {
    if (element != null && element.domain != null) {
      return new ArrayCodec(element, TypeCodecs.of(element));
    }
    if (user == null) {
      return null;
    }
    return element == null ? user.codec : new ArrayCodec(element, user.codec);
  }

  /** Same type, ignoring modifiers. */
  public boolean sameType(PgType other) {
    return oid == other.oid;
  }

  public boolean is(PgType a) {
    return oid == a.oid;
  }

  /** Same type with the same modifier; of a type of CREATE TYPE it may be another version. */
  public boolean isAlike(PgType other) {
    return declaredOid() == other.declaredOid() && declaredTypmod() == other.declaredTypmod();
  }

  public boolean isInteger() {
    return oid == 23 || oid == 20 || oid == 21;
  }

  public boolean isFloat() {
    return oid == 701 || oid == 700;
  }

  public boolean isNumber() {
    return isInteger() || isFloat() || oid == 1700;
  }

  /** json, jsonb. */
  public boolean isJson() {
    return oid == 114 || oid == 3802;
  }

  /** Whether values can be compared: json cannot, nor can its arrays. */
  public boolean isComparable() {
    return oid != 114 && oid != 2249 && (element == null || element.isComparable());
  }

  /** text, varchar, char(n), name: UTF-8 bytes. */
  public boolean isString() {
    return category == 'S';
  }

  public boolean isUnknown() {
    return oid == 705;
  }

  public boolean isPseudo() {
    return category == 'P';
  }

  /** Characters of varchar(n) and char(n), -1 when unlimited. */
  public int length() {
    return typmod < HEADER ? -1 : typmod - HEADER;
  }

  /** Precision of numeric(p,s), -1 when unconstrained. */
  public int precision() {
    return typmod < HEADER ? -1 : ((typmod - HEADER) >> 16) & 0xFFFF;
  }

  /** Scale of numeric(p,s), which may be negative; meaningless when unconstrained. */
  public int scale() {
    return (((typmod - HEADER) & 0x7FF) ^ 1024) - 1024;
  }

  /** Digits of the second's fraction of time and timestamp types, 6 when not given. */
  public int fractionDigits() {
    return typmod < 0 ? 6 : typmod & 0xFFFF;
  }

  /** numeric whose every finite value fits a scaled long of one scale. */
  public boolean isCompactNumeric() {
    return oid == 1700 && typmod >= HEADER && precision() <= 18 && scale() >= 0 && scale() <= 18;
  }

  /** The name as format_type(oid, typmod) prints it, for example {@code character varying(10)}. */
  public String format() {
    return PgTypes.format(this);
  }

  /** The name as error messages print it: without the modifier. */
  public String displayName() {
    return PgTypes.formatBare(this);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PgType that
        && that.oid == oid
        && that.typmod == typmod
        && that.user == user
        && that.domain == domain
        && elementDomain() == that.elementDomain();
  }

  private DomainType elementDomain() {
    return element == null ? null : element.domain;
  }

  @Override
  public int hashCode() {
    return Objects.hash(oid, typmod);
  }

  @Override
  public String toString() {
    return format();
  }
}
