package io.gauss.compute.sql.exec;

import io.gauss.compute.type.ByteSink;

/**
 * Builds records {@code [4 bytes key length, little-endian][key][payload]}. Reused, not
 * thread-safe.
 */
final class KeyedRecord {
  final ByteSink sink = new ByteSink();

  /** Starts a record: then append the key to {@link #sink}. */
  void startKey() {
    sink.clear();
    sink.putIntLe(0);
  }

  /** Ends the key: then append the payload. */
  void endKey() {
    int length = sink.length - 4;
    byte[] array = sink.array;
    array[0] = (byte) length;
    array[1] = (byte) (length >>> 8);
    array[2] = (byte) (length >>> 16);
    array[3] = (byte) (length >>> 24);
  }

  int keyLength() {
    return ByteSink.getIntLe(sink.array, 0);
  }

  long hash() {
    return KeyHash.of(sink.array, 4, keyLength());
  }

  byte[] array() {
    return sink.array;
  }

  int length() {
    return sink.length;
  }
}
