package io.gauss.compute.expr.aggregate;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/** A list of values of one type, none of them NULL, in their binary forms. One thread. */
final class KeptValues {
  private static final int LARGEST = 1 << 28;

  private final TypeCodec codec;
  private final ByteSink sink = new ByteSink(64);
  private int[] starts = new int[8];
  private int size;

  KeptValues(TypeCodec codec) {
    this.codec = codec;
  }

  /**
   * @throws GaussException 54000 beyond 256 MB
   */
  void add(Value value) {
    if (sink.length > LARGEST) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED, "too many values for an ordered-set aggregate");
    }
    if (size + 1 == starts.length) {
      starts = Arrays.copyOf(starts, starts.length * 2);
    }
    codec.writeStored(value, sink);
    starts[++size] = sink.length;
  }

  int size() {
    return size;
  }

  /** The value's bytes are valid until the next {@link #add}. */
  void get(int index, Value out) {
    out.isNull = false;
    codec.readStored(sink.array, starts[index], starts[index + 1] - starts[index], out);
  }

  int bytes() {
    return sink.length + 4 * starts.length;
  }

  void clear() {
    sink.clear();
    size = 0;
  }
}
