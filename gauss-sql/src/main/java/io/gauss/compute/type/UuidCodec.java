package io.gauss.compute.type;

/** uuid: 16 bytes, printed in groups of 8-4-4-4-12 digits. */
final class UuidCodec extends TypeCodec {
  private static final int BYTES = 16;

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    int p = value.off;
    ByteaCodec.putHex(value.bytes, p, 4, out);
    out.putByte('-');
    ByteaCodec.putHex(value.bytes, p + 4, 2, out);
    out.putByte('-');
    ByteaCodec.putHex(value.bytes, p + 6, 2, out);
    out.putByte('-');
    ByteaCodec.putHex(value.bytes, p + 8, 2, out);
    out.putByte('-');
    ByteaCodec.putHex(value.bytes, p + 10, 6, out);
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    out.putBytes(value.bytes, value.off, BYTES);
  }

  /** Braces around are allowed, and a hyphen after any group of four digits. */
  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    int p = offset;
    int end = offset + length;
    boolean braces = length > 0 && from[p] == '{';
    if (braces) {
      p++;
    }
    byte[] bytes = new byte[BYTES];
    for (int i = 0; i < BYTES; i++) {
      int high = p + 1 < end ? Character.digit(from[p], 16) : -1;
      int low = p + 1 < end ? Character.digit(from[p + 1], 16) : -1;
      if (high < 0 || low < 0) {
        throw TypeErrors.invalidSyntax(PgType.UUID, from, offset, length);
      }
      bytes[i] = (byte) (high << 4 | low);
      p += 2;
      if (p < end && from[p] == '-' && i % 2 == 1 && i < BYTES - 1) {
        p++;
      }
    }
    if (braces && (p >= end || from[p++] != '}')) {
      throw TypeErrors.invalidSyntax(PgType.UUID, from, offset, length);
    }
    if (p != end) {
      throw TypeErrors.invalidSyntax(PgType.UUID, from, offset, length);
    }
    out.setBytes(bytes, 0, BYTES);
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    TypeErrors.checkLength(PgType.UUID, length, BYTES);
    out.setBytes(from, offset, length);
  }
}
