package io.gauss.common.page;

/**
 * Where a record's bytes are put, one behind the other, integers little-endian: a mini-transaction
 * under construction. So the layouts of this package are written by this package, whatever the
 * bytes go to. Belongs to one thread.
 */
public interface RecordSink {
  void putByte(int value);

  void putShort(int value);

  void putInt(int value);

  void putLong(long value);

  void putBytes(byte[] bytes, int offset, int length);
}
