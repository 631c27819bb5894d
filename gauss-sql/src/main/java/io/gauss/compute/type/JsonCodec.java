package io.gauss.compute.type;

/** json: the text as it was given, which is checked. */
final class JsonCodec extends TypeCodec {
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
    JsonParser.check(from, offset, length);
    out.setBytes(from, offset, length);
  }
}
