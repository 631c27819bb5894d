package io.gauss.common.page;

import io.gauss.common.memory.Memory;

/**
 * Records in a page: an array of slots after the header, the records in a heap that grows down from
 * the fence keys at the page's end.
 *
 * <pre>
 * | header 64 | slot 0 | slot 1 | ... | free | ... record | record | low fence, high key |
 *                                     ^FREE_START   ^FREE_END
 * slot   0  2  offset of the record in the page
 *        2  2  length of the record
 *        4  4  key head: first 4 bytes of the key suffix as a big-endian number (tree pages; otherwise 0)
 * </pre>
 *
 * Invariants: FREE_START = 64 + 8 * slot count; FREE_START &lt;= FREE_END; the bytes of FREE_END up
 * to the fences are live records plus RECLAIMABLE. Every change, including compaction, depends only
 * on page and arguments, since compute nodes, recovery and the page store must produce the same
 * bytes (law 1, do = redo). Only {@code RedoApply} changes pages in use; others change private
 * images. Offsets read from a page are masked to it, so that a corrupt slot never leads outside.
 *
 * <p>Not thread-safe; the caller's latch is the protection.
 */
public final class SlottedPage {
  public static final int SLOT_BYTES = 8;
  static final int SLOT_OFFSET = 0;
  static final int SLOT_LENGTH = SLOT_OFFSET + 2;
  static final int SLOT_HEAD = SLOT_LENGTH + 2;

  private SlottedPage() {}

  /** Zeroes the page and writes a header with no slots and no fences. */
  public static void format(
      long page, int type, int level, int flags, long pageId, int generation) {
    Memory.zero(page, PageLayout.PAGE_BYTES);
    Memory.putByte(page + PageLayout.VERSION, PageLayout.CURRENT_VERSION);
    Memory.putByte(page + PageLayout.TYPE, type);
    Memory.putByte(page + PageLayout.LEVEL, level);
    Memory.putByte(page + PageLayout.FLAGS, flags);
    Memory.putLong(page + PageLayout.PAGE_ID, pageId);
    Memory.putInt(page + PageLayout.GENERATION, generation);
    Memory.putShort(page + PageLayout.HIGH_LENGTH, PageLayout.NO_HIGH_KEY);
    Memory.putShort(page + PageLayout.FREE_START, PageLayout.HEADER_BYTES);
    Memory.putShort(page + PageLayout.FREE_END, PageLayout.PAGE_BYTES);
  }

  static long slotAddress(long page, int slot) {
    return page + ((PageLayout.HEADER_BYTES + slot * SLOT_BYTES) & PageLayout.PAGE_MASK);
  }

  /** Offset of the record in the page, always inside it. */
  static int recordOffset(long page, int slot) {
    return Memory.getUnsignedShort(slotAddress(page, slot) + SLOT_OFFSET) & PageLayout.PAGE_MASK;
  }

  static long recordAddress(long page, int slot) {
    return page + recordOffset(page, slot);
  }

  /** Length of the record, cut to the page's end. */
  public static int recordLength(long page, int slot) {
    long address = slotAddress(page, slot);
    int offset = Memory.getUnsignedShort(address + SLOT_OFFSET) & PageLayout.PAGE_MASK;
    int length = Memory.getUnsignedShort(address + SLOT_LENGTH);
    return Math.min(length, PageLayout.PAGE_BYTES - offset);
  }

  public static int keyHead(long page, int slot) {
    return Memory.getInt(slotAddress(page, slot) + SLOT_HEAD);
  }

  /** Bytes of the fence keys at the page's end. */
  public static int fenceBytes(long page) {
    int high = Memory.getUnsignedShort(page + PageLayout.HIGH_LENGTH);
    int low = Memory.getUnsignedShort(page + PageLayout.LOW_LENGTH);
    return (low + (high == PageLayout.NO_HIGH_KEY ? 0 : high)) & PageLayout.PAGE_MASK;
  }

  /** Bytes for new slots and records together, compaction included. */
  public static int freeBytes(long page) {
    return PageView.freeEnd(page) - PageView.freeStart(page) + PageView.reclaimable(page);
  }

  /** Bytes that slots and live records take. */
  public static int usedBytes(long page) {
    return PageLayout.PAGE_BYTES - PageLayout.HEADER_BYTES - fenceBytes(page) - freeBytes(page);
  }

  /** Inserts a record before {@code slot}. */
  public static void insert(long page, int slot, long bytes, int length) {
    int at = startInsert(page, slot, length);
    Memory.copy(bytes, page + at, length);
    endInsert(page, slot, at, length);
  }

  /**
   * Makes room for a record before {@code slot}; the caller then writes its bytes and calls {@link
   * #endInsert}.
   *
   * @return offset of the record in the page
   */
  static int startInsert(long page, int slot, int length) {
    int count = PageView.slotCount(page);
    require(slot <= count, page, "insert at slot", slot);
    require(freeBytes(page) >= length + SLOT_BYTES, page, "no room for bytes", length);
    if (PageView.freeEnd(page) - PageView.freeStart(page) < length + SLOT_BYTES) {
      compact(page);
    }
    long at = slotAddress(page, slot);
    Memory.copy(at, at + SLOT_BYTES, (long) (count - slot) * SLOT_BYTES);
    int end = PageView.freeEnd(page) - length;
    Memory.putShort(page + PageLayout.SLOT_COUNT, count + 1);
    Memory.putShort(page + PageLayout.FREE_START, PageView.freeStart(page) + SLOT_BYTES);
    Memory.putShort(page + PageLayout.FREE_END, end);
    return end;
  }

  static void endInsert(long page, int slot, int offset, int length) {
    setSlot(page, slot, offset, length);
    noteInsert(page, slot);
  }

  /** Removes {@code count} records from {@code slot} on. */
  public static void remove(long page, int slot, int count) {
    int all = PageView.slotCount(page);
    require(slot + count <= all, page, "remove up to slot", slot + count);
    int freed = 0;
    for (int i = slot; i < slot + count; i++) {
      freed += recordLength(page, i);
    }
    long at = slotAddress(page, slot);
    Memory.copy(at + (long) count * SLOT_BYTES, at, (long) (all - slot - count) * SLOT_BYTES);
    Memory.putShort(page + PageLayout.SLOT_COUNT, all - count);
    Memory.putShort(page + PageLayout.FREE_START, PageView.freeStart(page) - count * SLOT_BYTES);
    Memory.putShort(page + PageLayout.RECLAIMABLE, PageView.reclaimable(page) + freed);
    Memory.putShort(page + PageLayout.INSERT_RUN, 0);
  }

  /** Replaces {@code remove} bytes of a record from {@code at} on by the given ones. */
  public static void splice(long page, int slot, int at, int remove, long bytes, int length) {
    require(slot < PageView.slotCount(page), page, "splice slot", slot);
    int before = recordLength(page, slot);
    require(at + remove <= before, page, "splice beyond record, up to", at + remove);
    int after = before - remove + length;
    long record = recordAddress(page, slot);
    if (after <= before) {
      Memory.copy(record + at + remove, record + at + length, before - at - remove);
      Memory.copy(bytes, record + at, length);
      if (after != before) {
        Memory.putShort(page + PageLayout.RECLAIMABLE, PageView.reclaimable(page) + before - after);
      }
      setSlot(page, slot, (int) (record - page), after);
      return;
    }
    require(freeBytes(page) >= after - before, page, "no room for more bytes", after - before);
    long scratch = ScratchPages.acquire();
    try {
      long whole = scratch + PageLayout.PAGE_BYTES;
      Memory.copy(record, whole, at);
      Memory.copy(bytes, whole + at, length);
      Memory.copy(record + at + remove, whole + at + length, before - at - remove);
      setSlot(page, slot, (int) (record - page), 0);
      Memory.putShort(page + PageLayout.RECLAIMABLE, PageView.reclaimable(page) + before);
      if (PageView.freeEnd(page) - PageView.freeStart(page) < after) {
        compact(page, scratch);
      }
      int end = PageView.freeEnd(page) - after;
      Memory.copy(whole, page + end, after);
      Memory.putShort(page + PageLayout.FREE_END, end);
      setSlot(page, slot, end, after);
    } finally {
      ScratchPages.release(scratch);
    }
  }

  /**
   * Moves the records together next to the fences, in order of slots from the page's end, and
   * zeroes the gap.
   */
  static void compact(long page) {
    long scratch = ScratchPages.acquire();
    try {
      compact(page, scratch);
    } finally {
      ScratchPages.release(scratch);
    }
  }

  private static void compact(long page, long copy) {
    Memory.copy(page, copy, PageLayout.PAGE_BYTES);
    int count = PageView.slotCount(page);
    int end = PageLayout.PAGE_BYTES - fenceBytes(page);
    for (int i = 0; i < count; i++) {
      int length = recordLength(copy, i);
      end -= length;
      require(end >= PageView.freeStart(page), page, "heap meets slots at", i);
      Memory.copy(recordAddress(copy, i), page + end, length);
      Memory.putShort(slotAddress(page, i) + SLOT_OFFSET, end);
    }
    Memory.putShort(page + PageLayout.FREE_END, end);
    Memory.putShort(page + PageLayout.RECLAIMABLE, 0);
    Memory.zero(page + PageView.freeStart(page), end - PageView.freeStart(page));
  }

  /** Appends a record after the last slot, for building a page; there must be contiguous room. */
  static void append(long page, long bytes, int length) {
    int count = PageView.slotCount(page);
    int end = PageView.freeEnd(page) - length;
    require(end >= PageView.freeStart(page) + SLOT_BYTES, page, "no room for bytes", length);
    Memory.copy(bytes, page + end, length);
    Memory.putShort(page + PageLayout.SLOT_COUNT, count + 1);
    Memory.putShort(page + PageLayout.FREE_START, PageView.freeStart(page) + SLOT_BYTES);
    Memory.putShort(page + PageLayout.FREE_END, end);
    setSlot(page, count, end, length);
  }

  private static void setSlot(long page, int slot, int offset, int length) {
    long at = slotAddress(page, slot);
    Memory.putShort(at + SLOT_OFFSET, offset);
    Memory.putShort(at + SLOT_LENGTH, length);
    Memory.putInt(at + SLOT_HEAD, TreePage.headOfRecord(page, offset, length));
  }

  /**
   * Counts ascending neighbours, so that a split can detect inserts in ascending order and pack the
   * left page.
   */
  private static void noteInsert(long page, int slot) {
    int last = Memory.getUnsignedShort(page + PageLayout.LAST_INSERT);
    int run = Memory.getUnsignedShort(page + PageLayout.INSERT_RUN);
    boolean neighbour = slot == last + 1;
    Memory.putShort(page + PageLayout.LAST_INSERT, slot);
    Memory.putShort(page + PageLayout.INSERT_RUN, neighbour ? Math.min(run + 1, 0xFFFF) : 0);
  }

  static void require(boolean condition, long page, String what, int value) {
    if (!condition) {
      throw new IllegalStateException(
          "page "
              + io.gauss.common.id.PageId.toString(PageView.pageId(page))
              + " ("
              + PageType.name(PageView.type(page))
              + ", "
              + PageView.slotCount(page)
              + " slots, "
              + freeBytes(page)
              + " bytes free): "
              + what
              + " "
              + value);
    }
  }
}
