package io.gauss.storage.local.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C over a range of a buffer, without allocating and with the buffer left as it was. */
final class Checksums {
  private Checksums() {}

  static void update(CRC32C crc, ByteBuffer buffer, int from, int length) {
    int position = buffer.position();
    int limit = buffer.limit();
    buffer.limit(from + length).position(from);
    crc.update(buffer);
    buffer.limit(limit).position(position);
  }

  static int of(ByteBuffer buffer, int from, int length) {
    CRC32C crc = new CRC32C();
    update(crc, buffer, from, length);
    return (int) crc.getValue();
  }
}
