package io.gauss.common.page;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import java.util.zip.CRC32C;

/**
 * Protects a page's bytes outside memory: CRC32C of bytes 4 to 8191, set when they are written to
 * disk or wire, and the format version. Both are checked when bytes are read, before anything else
 * in them is used. Computing the checksum allocates a little, so it belongs to I/O and not to page
 * accesses.
 */
public final class PageChecksum {
  private PageChecksum() {}

  static int compute(long page) {
    CRC32C crc = new CRC32C();
    crc.update(
        Memory.buffer(page + PageLayout.VERSION, PageLayout.PAGE_BYTES - PageLayout.VERSION));
    return (int) crc.getValue();
  }

  public static void set(long page) {
    Memory.putInt(page + PageLayout.CHECKSUM, compute(page));
  }

  public static boolean verify(long page) {
    return Memory.getInt(page + PageLayout.CHECKSUM) == compute(page);
  }

  /**
   * Checks the checksum and the version of a page that was read or received.
   *
   * @param source where it came from, for the message only
   * @throws GaussException XX001 when the bytes are damaged, 0A000 when this release does not know
   *     the page's format
   */
  public static void check(long page, long pageId, Object source) {
    if (!verify(page)) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "page " + PageId.toString(pageId) + " came damaged from " + source);
    }
    checkVersion(page, pageId, source);
  }

  /** As {@link #check}, for bytes that are protected otherwise, such as by a frame's checksum. */
  public static void checkVersion(long page, long pageId, Object source) {
    checkVersion(
        Memory.getUnsignedByte(page + PageLayout.VERSION),
        Memory.getLong(page + PageLayout.LSN),
        pageId,
        source);
  }

  /**
   * Checks the version of a page whose bytes are not in our memory yet.
   *
   * @param lsn of the page; a page without one was never written and has no format
   * @throws GaussException 0A000 when this release does not know the format
   */
  public static void checkVersion(int version, long lsn, long pageId, Object source) {
    if (version != PageLayout.CURRENT_VERSION && (version != 0 || lsn != 0)) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "page %s from %s has format version %d, and this release knows only version %d"
                  .formatted(PageId.toString(pageId), source, version, PageLayout.CURRENT_VERSION))
          .hint("The page was written by another release of Gauss.");
    }
  }
}
