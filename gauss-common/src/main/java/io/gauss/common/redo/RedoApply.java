package io.gauss.common.redo;

import static io.gauss.common.redo.RedoPayload.*;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageChecksum;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageView;
import io.gauss.common.page.SlottedPage;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.VersionHeader;

/**
 * The one pure function that changes pages (law 1: do = redo): compute nodes, recovery and the page
 * store all call it.
 *
 * <p>Pure: its result depends on the page's bytes and the record's bytes only, so that equal
 * histories give equal bytes everywhere. A record that does not fit its page causes an {@link
 * IllegalStateException}, which the caller interprets: for the writer of the record, which read the
 * same page, it is a broken invariant; for a page store it is a page that cannot be folded, which
 * must not end all replicas at once. An image of a format that this release does not know is
 * refused with 0A000. Not thread-safe; the caller has exclusive access to the page.
 */
public final class RedoApply {
  private RedoApply() {}

  /**
   * Applies one record and sets the page's LSN to {@code lsn}.
   *
   * @param page address of the page's 8 KiB
   * @param record address of the record (see {@link MtrLayout})
   * @param lsn the record's LSN, above the page's
   * @param stream the writer's stream number, kept in the page header
   */
  public static void apply(long page, long record, long lsn, int stream) {
    long payload = record + MtrLayout.RECORD_HEADER_BYTES;
    int length = MtrLayout.recordLength(record) - MtrLayout.RECORD_HEADER_BYTES;
    int type = MtrLayout.recordType(record);
    switch (type) {
      case RedoType.FORMAT -> format(page, MtrLayout.recordPageId(record), payload, length);
      case RedoType.IMAGE -> image(page, MtrLayout.recordPageId(record), payload, length, lsn);
      case RedoType.INSERT ->
          SlottedPage.insert(
              page, u16(payload + INSERT_SLOT), payload + INSERT_BYTES, length - INSERT_BYTES);
      case RedoType.SPLICE ->
          SlottedPage.splice(
              page,
              u16(payload + SPLICE_SLOT),
              u16(payload + SPLICE_AT),
              u16(payload + SPLICE_REMOVE),
              payload + SPLICE_BYTES,
              length - SPLICE_BYTES);
      case RedoType.REMOVE ->
          SlottedPage.remove(page, u16(payload + REMOVE_SLOT), u16(payload + REMOVE_COUNT));
      case RedoType.REMOVE_MANY -> removeMany(page, payload, length / 2);
      case RedoType.WRITE -> write(page, payload, length);
      case RedoType.REFENCE -> refence(page, payload, length);
      case RedoType.VERSION -> version(page, payload, length);
      case RedoType.UNDO_APPEND -> UndoPage.append(page, payload, length);
      case RedoType.INSERT_MANY -> insertMany(page, payload, length);
      default -> throw new IllegalStateException("redo record of " + RedoType.name(type));
    }
    Memory.putLong(page + PageLayout.LSN, lsn);
    Memory.putInt(page + PageLayout.STREAM, stream);
  }

  /** Whether a record of this type builds the page from nothing (format, full image), rule 27. */
  public static boolean startsPage(int type) {
    return type == RedoType.FORMAT || type == RedoType.IMAGE;
  }

  private static void format(long page, long pageId, long payload, int length) {
    SlottedPage.format(
        page,
        Memory.getUnsignedByte(payload + FORMAT_TYPE),
        Memory.getUnsignedByte(payload + FORMAT_LEVEL),
        Memory.getUnsignedByte(payload + FORMAT_FLAGS),
        pageId,
        Memory.getInt(payload + FORMAT_GENERATION));
    Memory.putInt(page + PageLayout.RIGHT_SIBLING, Memory.getInt(payload + FORMAT_RIGHT));
    int low = u16(payload + FORMAT_LOW_LENGTH);
    int high = u16(payload + FORMAT_HIGH_LENGTH);
    check(length == FORMAT_KEYS + keyBytes(low, high), page, RedoType.FORMAT);
    if (low != 0 || high != PageLayout.NO_HIGH_KEY) {
      TreePage.setFences(page, u16(payload + FORMAT_PREFIX), low, high, payload + FORMAT_KEYS);
    }
  }

  private static void image(long page, long pageId, long payload, int length, long lsn) {
    int holeStart = u16(payload + IMAGE_HOLE_START);
    int holeEnd = u16(payload + IMAGE_HOLE_END);
    int head = holeStart - PageLayout.VERSION;
    int tail = PageLayout.PAGE_BYTES - holeEnd;
    check(
        holeStart >= PageLayout.HEADER_BYTES
            && holeStart <= holeEnd
            && tail >= 0
            && length == IMAGE_BYTES + head + tail,
        page,
        RedoType.IMAGE);
    PageChecksum.checkVersion(Memory.getUnsignedByte(payload + IMAGE_BYTES), lsn, pageId, "redo");
    Memory.copy(payload + IMAGE_BYTES, page + PageLayout.VERSION, head);
    Memory.zero(page + holeStart, holeEnd - holeStart);
    Memory.copy(payload + IMAGE_BYTES + head, page + holeEnd, tail);
    Memory.putInt(page + PageLayout.CHECKSUM, 0);
  }

  private static void removeMany(long page, long payload, int count) {
    for (int i = count - 1; i >= 0; i--) {
      SlottedPage.remove(page, u16(payload + 2L * i), 1);
    }
  }

  private static void write(long page, long payload, int length) {
    int offset = u16(payload + WRITE_OFFSET);
    int bytes = length - WRITE_BYTES;
    check(offset + bytes <= PageLayout.PAGE_BYTES, page, RedoType.WRITE);
    Memory.copy(payload + WRITE_BYTES, page + offset, bytes);
  }

  private static void refence(long page, long payload, int length) {
    int low = u16(payload + REFENCE_LOW_LENGTH);
    int high = u16(payload + REFENCE_HIGH_LENGTH);
    check(length == REFENCE_KEYS + keyBytes(low, high), page, RedoType.REFENCE);
    TreePage.refence(
        page,
        u16(payload + REFENCE_KEEP),
        Memory.getUnsignedByte(payload + REFENCE_FLAGS),
        Memory.getInt(payload + REFENCE_RIGHT),
        u16(payload + REFENCE_PREFIX),
        low,
        high,
        payload + REFENCE_KEYS);
  }

  private static void version(long page, long payload, int length) {
    int slot = u16(payload + VERSION_SLOT);
    int remove = u16(payload + VERSION_REMOVE);
    int bytes = length - VERSION_BYTES;
    check(slot < PageView.slotCount(page), page, RedoType.VERSION);
    Memory.copy(payload + VERSION_HEADER, TreePage.version(page, slot), VersionHeader.BYTES);
    if (remove != 0 || bytes != 0) {
      SlottedPage.splice(
          page, slot, u16(payload + VERSION_AT), remove, payload + VERSION_BYTES, bytes);
    }
  }

  private static void insertMany(long page, long payload, int length) {
    long at = payload + MANY_ROWS;
    long end = payload + length;
    int slot = 0;
    while (at < end) {
      slot += Memory.getUnsignedByte(at + MANY_SKIP);
      int suffix = u16(at + MANY_SUFFIX_LENGTH);
      int row = u16(at + MANY_ROW_LENGTH);
      long bytes = at + MANY_BYTES;
      at = bytes + suffix + row;
      check(at <= end, page, RedoType.INSERT_MANY);
      TreePage.insertLeafRecord(page, slot++, payload + MANY_VERSION, bytes, suffix, row);
    }
    check(at == end, page, RedoType.INSERT_MANY);
  }

  private static int keyBytes(int low, int high) {
    return low + (high == PageLayout.NO_HIGH_KEY ? 0 : high);
  }

  private static int u16(long address) {
    return Memory.getUnsignedShort(address);
  }

  private static void check(boolean fits, long page, int type) {
    if (!fits) {
      throw new IllegalStateException(
          "redo record "
              + RedoType.name(type)
              + " does not fit page "
              + PageId.toString(PageView.pageId(page)));
    }
  }
}
