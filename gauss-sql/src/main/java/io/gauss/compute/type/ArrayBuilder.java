package io.gauss.compute.type;

/** Builds an array value, which is no larger than other values: 54000 beyond that. */
public final class ArrayBuilder {
  private static final int FLAG = 4;
  private static final int SIZE = 12;
  private static final int LOWER_BOUND = 16;

  private final ByteSink sink = new ByteSink(64, ByteSink.LARGEST_VALUE);
  private int size;
  private boolean nulls;

  public ArrayBuilder(PgType element) {
    sink.putInt(1);
    sink.putInt(0);
    sink.putInt(element.oid());
    sink.putInt(0);
    sink.putInt(1);
  }

  public void add(TypeCodec codec, Value item) {
    size++;
    int at = sink.length;
    sink.putInt(-1);
    if (item.isNull) {
      nulls = true;
    } else {
      codec.writeStored(item, sink);
      sink.setInt(at, sink.length - at - 4);
    }
  }

  /** Elements so far. */
  int size() {
    return size;
  }

  /** Bytes so far, header included. */
  public int bytes() {
    return sink.length;
  }

  /** Sets the first element's subscript, which is 1 otherwise. */
  public ArrayBuilder from(int lowerBound) {
    sink.setInt(LOWER_BOUND, lowerBound);
    return this;
  }

  /** Sets {@code out} to the array, which shares the builder's bytes. */
  public void finish(Value out) {
    if (size == 0) {
      sink.setInt(0, 0);
      out.setBytes(sink.array, 0, SIZE);
      return;
    }
    sink.setInt(0, 1);
    sink.setInt(FLAG, nulls ? 1 : 0);
    sink.setInt(SIZE, size);
    out.setBytes(sink.array, 0, sink.length);
  }
}
