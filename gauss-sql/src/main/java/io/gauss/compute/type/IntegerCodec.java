package io.gauss.compute.type;

/** smallint, integer and bigint. */
final class IntegerCodec extends TypeCodec {
  private final PgType type;
  private final int bytes;
  private final long min;
  private final long max;

  IntegerCodec(PgType type) {
    this.type = type;
    this.bytes = type.typlen();
    this.min = bytes == 8 ? Long.MIN_VALUE : -(1L << (bytes * 8 - 1));
    this.max = ~min;
  }

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    out.putDecimal(value.l);
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    switch (bytes) {
      case 2 -> out.putShort((int) value.l);
      case 4 -> out.putInt((int) value.l);
      default -> out.putLong(value.l);
    }
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    int end = offset + length;
    int p = Ascii.skipSpace(from, offset, end);
    boolean negative = false;
    if (p < end && (from[p] == '-' || from[p] == '+')) {
      negative = from[p] == '-';
      p++;
    }
    if (p == end || !Ascii.isDigit(from[p])) {
      throw TypeErrors.invalidSyntax(type, from, offset, length);
    }
    // Counted down from zero, since the negative range is the larger one.
    long value = 0;
    boolean overflow = false;
    while (p < end && Ascii.isDigit(from[p])) {
      int digit = from[p++] - '0';
      if (value < Long.MIN_VALUE / 10 || value * 10 < Long.MIN_VALUE + digit) {
        overflow = true;
      } else {
        value = value * 10 - digit;
      }
    }
    p = Ascii.skipSpace(from, p, end);
    if (p != end) {
      throw TypeErrors.invalidSyntax(type, from, offset, length);
    }
    if (!negative) {
      overflow |= value == Long.MIN_VALUE;
      value = -value;
    }
    if (overflow || value < min || value > max) {
      throw TypeErrors.textOutOfRange(type, from, offset, length);
    }
    out.setLong(value);
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    TypeErrors.checkLength(type, length, bytes);
    out.setLong(
        switch (bytes) {
          case 2 -> (short) ByteSink.getUnsignedShort(from, offset);
          case 4 -> ByteSink.getInt(from, offset);
          default -> ByteSink.getLong(from, offset);
        });
  }
}
