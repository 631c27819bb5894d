package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/** jsonb: values as {@link JsonbLayout} says; the binary form is a version and the text. */
final class JsonbCodec extends TypeCodec {
  private static final int VERSION = 1;

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    JsonbText.write(new JsonbView(value), out);
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    out.putByte(VERSION);
    JsonbText.write(new JsonbView(value), out);
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    Utf8.check(from, offset, length);
    JsonbBuilder builder = new JsonbBuilder(length);
    builder.text(from, offset, length);
    builder.finish(out);
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    if (length < 1) {
      throw new GaussException(SqlState.PROTOCOL_VIOLATION, "no data left in message");
    }
    if (from[offset] != VERSION) {
      throw new GaussException(
          SqlState.INTERNAL_ERROR, "unsupported jsonb version number " + (from[offset] & 0xFF));
    }
    readText(from, offset + 1, length - 1, TypeContext.DEFAULT, out);
  }
}
