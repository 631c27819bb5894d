package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/** int2vector and oidvector: numbers that blanks separate; in binary form an array from 0 on. */
final class VectorCodec extends TypeCodec {
  private final PgType element;
  private final TypeCodec codec;
  private final ArrayCodec array;

  VectorCodec(PgType element, TypeCodec codec) {
    this.element = element;
    this.codec = codec;
    this.array = new ArrayCodec(element, codec);
  }

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    ArrayReader reader = new ArrayReader(value);
    Value item = new Value();
    for (int i = 0; i < reader.size(); i++) {
      if (i > 0) {
        out.putByte(' ');
      }
      reader.next(codec, item);
      codec.writeText(item, ctx, out);
    }
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    int end = offset + length;
    ArrayBuilder builder = new ArrayBuilder(element).from(0);
    Value item = new Value();
    int p = Ascii.skipSpace(from, offset, end);
    while (p < end) {
      int start = p;
      while (p < end && !Ascii.isSpace(from[p])) {
        p++;
      }
      codec.readText(from, start, p - start, ctx, item);
      builder.add(codec, item);
      p = Ascii.skipSpace(from, p, end);
    }
    builder.finish(out);
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    array.writeBinary(value, out);
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    array.readBinary(from, offset, length, out);
    ArrayReader reader = new ArrayReader(out);
    boolean isVector = reader.size() == 0 || reader.lowerBound() == 0;
    Value item = new Value();
    for (int i = 0; i < reader.size() && isVector; i++) {
      reader.next(codec, item);
      isVector = !item.isNull;
    }
    if (!isVector) {
      throw new GaussException(
          SqlState.INVALID_BINARY_REPRESENTATION,
          "invalid %s data".formatted(element.is(PgType.INT2) ? "int2vector" : "oidvector"));
    }
  }
}
