package io.gauss.compute.type;

/** The codecs by type. */
final class TypeCodecs {
  /** By oid; those of built-in types are small. */
  private static final TypeCodec[] BY_OID = new TypeCodec[4100];

  static {
    put(PgType.BOOL, new BoolCodec());
    put(PgType.INT2, new IntegerCodec(PgType.INT2));
    put(PgType.INT4, new IntegerCodec(PgType.INT4));
    put(PgType.INT8, new IntegerCodec(PgType.INT8));
    put(PgType.OID, new OidCodec(PgType.OID, null));
    put(PgType.REGCLASS, new OidCodec(PgType.REGCLASS, ObjectNames.RELATIONS));
    put(PgType.REGTYPE, new OidCodec(PgType.REGTYPE, ObjectNames.TYPES));
    put(PgType.REGPROC, new OidCodec(PgType.REGPROC, ObjectNames.FUNCTIONS));
    put(PgType.REGPROCEDURE, new OidCodec(PgType.REGPROCEDURE, ObjectNames.PROCEDURES));
    put(PgType.REGNAMESPACE, new OidCodec(PgType.REGNAMESPACE, ObjectNames.SCHEMAS));
    put(PgType.REGROLE, new OidCodec(PgType.REGROLE, ObjectNames.ROLES));
    put(PgType.REGOPERATOR, new OidCodec(PgType.REGOPERATOR, null));
    put(PgType.FLOAT4, new FloatCodec(true));
    put(PgType.FLOAT8, new FloatCodec(false));
    put(PgType.NUMERIC, new NumericCodec());
    put(PgType.TEXT, new TextCodec(Integer.MAX_VALUE));
    put(PgType.VARCHAR, new TextCodec(Integer.MAX_VALUE));
    put(PgType.BPCHAR, new TextCodec(Integer.MAX_VALUE));
    put(PgType.UNKNOWN, new TextCodec(Integer.MAX_VALUE));
    put(PgType.VOID, new TextCodec(Integer.MAX_VALUE));
    put(PgType.NAME, new TextCodec(63));
    put(PgType.CHAR, new TextCodec(1));
    put(PgType.BYTEA, new ByteaCodec());
    put(PgType.UUID, new UuidCodec());
    put(PgType.JSON, new JsonCodec());
    put(PgType.JSONB, new JsonbCodec());
    put(PgType.DATE, new DateCodec());
    put(PgType.TIME, new TimeCodec());
    put(PgType.TIMESTAMP, new TimestampCodec(false));
    put(PgType.TIMESTAMPTZ, new TimestampCodec(true));
    put(PgType.INTERVAL, new IntervalCodec());
    put(PgType.INT2VECTOR, new VectorCodec(PgType.INT2, BY_OID[PgType.INT2.oid()]));
    put(PgType.OIDVECTOR, new VectorCodec(PgType.OID, BY_OID[PgType.OID.oid()]));
    for (PgType array : PgTypes.arrays()) {
      put(array, new ArrayCodec(array.element(), BY_OID[array.element().oid()]));
    }
  }

  private TypeCodecs() {}

  private static void put(PgType type, TypeCodec codec) {
    BY_OID[type.oid()] = codec;
  }

  static TypeCodec of(PgType type) {
    TypeCodec own = type.ownCodec();
    TypeCodec codec = own != null || type.oid() >= BY_OID.length ? own : BY_OID[type.oid()];
    if (codec == null) {
      throw new IllegalArgumentException("no values of type " + type);
    }
    return codec;
  }
}
