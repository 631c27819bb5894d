package io.gauss.compute.type;

/** oid, and the types that read and print names instead: regclass and others. */
final class OidCodec extends TypeCodec {
  private static final long MAX = 0xFFFF_FFFFL;
  private final PgType type;
  private final ObjectNames names;

  /**
   * @param names null when the type has numbers only
   */
  OidCodec(PgType type, ObjectNames names) {
    this.type = type;
    this.names = names;
  }

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    if (value.l == 0 && !type.is(PgType.OID)) {
      out.putByte('-');
      return;
    }
    String name = names == null ? null : names.print((int) value.l, ctx);
    if (name == null) {
      out.putDecimal(value.l);
    } else {
      out.putString(name);
    }
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    out.putInt((int) value.l);
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    int end = offset + length;
    int p = Ascii.skipSpace(from, offset, end);
    if (end - p == 1 && from[p] == '-' && !type.is(PgType.OID)) {
      out.setLong(0);
      return;
    }
    if (names != null && !isNumber(from, offset, end)) {
      out.setLong(names.require(TypeErrors.text(from, offset, length), ctx) & MAX);
      return;
    }
    boolean negative = p < end && from[p] == '-';
    if (p < end && (negative || from[p] == '+')) {
      p++;
    }
    if (p == end || !Ascii.isDigit(from[p])) {
      throw TypeErrors.invalidSyntax(PgType.OID, from, offset, length);
    }
    long value = 0;
    while (p < end && Ascii.isDigit(from[p])) {
      value = Math.min(value * 10 + from[p++] - '0', MAX * 10);
    }
    if (Ascii.skipSpace(from, p, end) != end) {
      throw TypeErrors.invalidSyntax(PgType.OID, from, offset, length);
    }
    // Down to -2^31 a negative number is read as the unsigned number with the same bits, as in
    // PostgreSQL.
    if (value > MAX || (negative && value > 1L << 31)) {
      throw TypeErrors.textOutOfRange(PgType.OID, from, offset, length);
    }
    out.setLong(negative ? -value & MAX : value);
  }

  /** Anything else is a name. */
  private static boolean isNumber(byte[] from, int start, int end) {
    for (int i = start; i < end; i++) {
      if (!Ascii.isDigit(from[i])) {
        return false;
      }
    }
    return start < end;
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    TypeErrors.checkLength(type, length, 4);
    out.setLong(ByteSink.getInt(from, offset) & MAX);
  }
}
