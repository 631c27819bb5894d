package io.gauss.compute.type;

/** text, varchar, char(n), name, unknown: the bytes themselves. */
final class TextCodec extends TypeCodec {
  private final int maxBytes;

  /**
   * @param maxBytes longer input is cut, as name does
   */
  TextCodec(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    out.putBytes(value.bytes, value.off, value.len);
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    out.putBytes(value.bytes, value.off, value.len);
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    readBinary(from, offset, length, out);
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    Utf8.check(from, offset, length);
    int kept = length;
    if (length > maxBytes) {
      kept = maxBytes;
      // Not in the middle of a character.
      while (kept > 0 && (from[offset + kept] & 0xC0) == 0x80) {
        kept--;
      }
    }
    out.setBytes(from, offset, kept);
  }
}
