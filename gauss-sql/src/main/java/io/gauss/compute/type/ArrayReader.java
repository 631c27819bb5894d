package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/** Iterates over the elements of an array value. */
public final class ArrayReader {
  private static final int HEADER = 12;
  private static final int DIMENSION = 8;

  private final byte[] bytes;
  private final int end;
  private final int size;
  private final int lowerBound;
  private int position;

  public ArrayReader(Value array) {
    bytes = array.bytes;
    end = array.off + array.len;
    boolean empty = ByteSink.getInt(bytes, array.off) == 0;
    if (!empty && array.len < HEADER + DIMENSION) {
      throw truncated();
    }
    size = empty ? 0 : ByteSink.getInt(bytes, array.off + HEADER);
    lowerBound = empty ? 1 : ByteSink.getInt(bytes, array.off + HEADER + 4);
    position = array.off + HEADER + (empty ? 0 : DIMENSION);
    if (size < 0) {
      throw truncated();
    }
  }

  public int size() {
    return size;
  }

  /** Subscript of the first element. */
  public int lowerBound() {
    return lowerBound;
  }

  /** Bytes before the elements. */
  int headerBytes() {
    return size == 0 ? HEADER : HEADER + DIMENSION;
  }

  /** Reads the next element, which shares the array's bytes. */
  public void next(TypeCodec codec, Value out) {
    int length = enter(out);
    if (length >= 0) {
      codec.readStored(bytes, position, length, out);
      position += length;
    }
  }

  /** Reads the next element of an array as clients send it. */
  void nextSent(TypeCodec codec, Value out) {
    int length = enter(out);
    if (length >= 0) {
      codec.readBinary(bytes, position, length, out);
      position += length;
    }
  }

  /** The next element's length; below 0 when it is NULL. */
  private int enter(Value out) {
    if (end - position < 4) {
      throw truncated();
    }
    int length = ByteSink.getInt(bytes, position);
    position += 4;
    if (length < 0) {
      out.setNull();
      return length;
    }
    if (length > end - position) {
      throw truncated();
    }
    return length;
  }

  private static GaussException truncated() {
    return new GaussException(SqlState.PROTOCOL_VIOLATION, "insufficient data left in message");
  }
}
