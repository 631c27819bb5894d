package io.gauss.storage.local.pages;

import io.gauss.common.id.PageId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Keys and values of the page store in RocksDB; one column family, so that flushes keep the order
 * of writes.
 *
 * <pre>
 * key                                        value
 * 'm'                                        u32 format version, u32 CRC32C of it
 * 'p' page id (u64, big-endian)              8,192 bytes of the page, checksum in its header
 * 's' stream (u32, big-endian)               u32 format version, u32 zero, u64 checkpoint offset, u32 zero,
 *                                            u32 CRC32C of the 20 bytes before
 * </pre>
 *
 * Integers are little-endian unless said otherwise; big-endian makes keys sort by space and page
 * number.
 */
public final class PageKeyLayout {
  public static final int VERSION = 1;

  public static final byte META = 'm';
  public static final byte PAGE = 'p';
  public static final byte STREAM = 's';

  public static final int PAGE_KEY_BYTES = 9;
  public static final int STREAM_KEY_BYTES = 5;
  public static final int META_VALUE_BYTES = 8;
  public static final int STREAM_VALUE_BYTES = 24;

  private static final int STREAM_OFFSET = 8;
  private static final int STREAM_CHECKSUM = 20;

  private PageKeyLayout() {}

  /** Puts the key at position 0 and flips the buffer. */
  static void pageKey(ByteBuffer to, long pageId) {
    to.clear().order(ByteOrder.BIG_ENDIAN);
    to.put(PAGE).putLong(pageId).flip();
  }

  /** The key of a space's first page; behind all pages of the spaces before. */
  static byte[] spaceKey(int space) {
    return ByteBuffer.allocate(PAGE_KEY_BYTES).put(PAGE).putLong(PageId.of(space, 0)).array();
  }

  static byte[] metaKey() {
    return new byte[] {META};
  }

  static byte[] metaValue() {
    ByteBuffer value = ByteBuffer.allocate(META_VALUE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    value.putInt(VERSION).putInt(checksum(value.array(), 4));
    return value.array();
  }

  static byte[] streamKey(int stream) {
    return ByteBuffer.allocate(STREAM_KEY_BYTES).put(STREAM).putInt(stream).array();
  }

  static int streamOfKey(byte[] key) {
    return ByteBuffer.wrap(key).getInt(1);
  }

  static byte[] streamValue(long offset) {
    ByteBuffer value = ByteBuffer.allocate(STREAM_VALUE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    value.putInt(VERSION).putInt(0).putLong(offset).putInt(0);
    value.putInt(checksum(value.array(), STREAM_CHECKSUM));
    return value.array();
  }

  /** The offset, or -1 when the value is damaged or of an unknown version. */
  static long offsetOfStreamValue(byte[] bytes) {
    if (bytes.length != STREAM_VALUE_BYTES) {
      return -1;
    }
    ByteBuffer value = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    boolean valid =
        value.getInt(0) == VERSION
            && value.getInt(STREAM_CHECKSUM) == checksum(bytes, STREAM_CHECKSUM);
    return valid ? value.getLong(STREAM_OFFSET) : -1;
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
