package io.gauss.common.page;

import io.gauss.common.memory.Memory;

/**
 * A page of undo records: append-only, one writer, records found by slot.
 *
 * <pre>
 * offset size
 *  0    64   page header; SLOT_COUNT and FREE_START are used, RIGHT_SIBLING is the next page of the segment's ring
 * 64     2   undo segment's number in its slot
 * 66     6   zero
 * 72         records, one after the other; FREE_START is the end of the last
 * ...        free
 * 8190   2   offset of record 0, and downwards 2 bytes for each further record
 * </pre>
 *
 * Records are never changed or removed: the page is formatted again when all of it lies below the
 * purge horizon, and readers recognise that by the LSN in the record (rule 23). Static functions
 * over a page's address; the caller holds the latch.
 */
public final class UndoPage {
  public static final int SEGMENT = PageLayout.HEADER_BYTES;
  public static final int BODY = SEGMENT + 8;
  public static final int SLOT_BYTES = 2;

  /** Longest record that fits into an empty page. */
  public static final int MAX_RECORD = PageLayout.PAGE_BYTES - BODY - SLOT_BYTES;

  private UndoPage() {}

  public static int slotCount(long page) {
    return Memory.getUnsignedShort(page + PageLayout.SLOT_COUNT);
  }

  /** Bytes left for records and their slots. */
  public static int room(long page) {
    return PageLayout.PAGE_BYTES - SLOT_BYTES * slotCount(page) - freeStart(page);
  }

  public static int segment(long page) {
    return Memory.getUnsignedShort(page + SEGMENT);
  }

  /** Address of a record's first byte; the slot must be below {@link #slotCount}. */
  public static long record(long page, int slot) {
    return page + offset(page, slot);
  }

  public static int recordLength(long page, int slot) {
    int end = slot + 1 < slotCount(page) ? offset(page, slot + 1) : freeStart(page);
    return end - offset(page, slot);
  }

  /** Applies an append record, the only change of an undo page between two formats. */
  public static void append(long page, long record, int length) {
    int count = slotCount(page);
    int start = freeStart(page);
    if (start + length + SLOT_BYTES * (count + 1) > PageLayout.PAGE_BYTES) {
      throw new IllegalStateException(
          "undo page overflows: " + start + " + " + length + ", " + count + " slots");
    }
    Memory.copy(record, page + start, length);
    Memory.putShort(page + PageLayout.PAGE_BYTES - (long) SLOT_BYTES * (count + 1), start);
    Memory.putShort(page + PageLayout.SLOT_COUNT, count + 1);
    Memory.putShort(page + PageLayout.FREE_START, start + length);
  }

  private static int freeStart(long page) {
    int start = Memory.getUnsignedShort(page + PageLayout.FREE_START);
    return Math.max(start, BODY);
  }

  private static int offset(long page, int slot) {
    int at = PageLayout.PAGE_BYTES - SLOT_BYTES * ((slot & 0xFFF) + 1);
    return Memory.getUnsignedShort(page + at) & PageLayout.PAGE_MASK;
  }
}
