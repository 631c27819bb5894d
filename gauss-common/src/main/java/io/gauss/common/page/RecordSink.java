package io.gauss.common.page;

/**
 * Receives a record's bytes in order, integers little-endian: a mini-transaction under
 * construction. With it, this package writes its own layouts, independent of the destination.
 * Belongs to one thread.
 */
public interface RecordSink {
  void putByte(int value);

  void putShort(int value);

  void putInt(int value);

  void putLong(long value);

  void putBytes(byte[] bytes, int offset, int length);
}
