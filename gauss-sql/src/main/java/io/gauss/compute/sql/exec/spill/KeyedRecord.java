package io.gauss.compute.sql.exec.spill;

import io.gauss.compute.sql.exec.row.KeyHash;
import io.gauss.compute.type.ByteSink;

/**
 * Builds records {@code [4 bytes key length, little-endian][key][payload]}. Reused, not
 * thread-safe.
 */
public final class KeyedRecord {
  public final ByteSink sink = new ByteSink();

  /** Starts a record; the caller then appends the key to {@link #sink}. */
  public void startKey() {
    sink.clear();
    sink.putIntLe(0);
  }

  /** Ends the key; the caller then appends the payload. */
  public void endKey() {
    int length = sink.length - 4;
    byte[] array = sink.array;
    array[0] = (byte) length;
    array[1] = (byte) (length >>> 8);
    array[2] = (byte) (length >>> 16);
    array[3] = (byte) (length >>> 24);
  }

  public int keyLength() {
    return ByteSink.getIntLe(sink.array, 0);
  }

  public long hash() {
    return KeyHash.of(sink.array, 4, keyLength());
  }

  public byte[] array() {
    return sink.array;
  }

  public int length() {
    return sink.length;
  }
}
