package io.gauss.memory.cache;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import java.lang.invoke.VarHandle;
import java.util.zip.CRC32C;

/**
 * Writes slots by the rules that allow concurrent remote reads, and validates copies that were
 * read. It holds a checksum's state, so an instance belongs to one thread.
 */
public final class PageSlot {
  private static final int REST = SlotLayout.BYTES - SlotLayout.LAYOUT_VERSION;

  private final CRC32C crc = new CRC32C();

  /** Result of validating a copy of a slot's bytes. */
  enum Verdict {
    /** Whole, and of the requested page. */
    GOOD,
    /** Whole, but empty or of another page. */
    OTHER,
    /** Read while it was being written: read it again. */
    TORN
  }

  /** Fills the slot. */
  void write(long slot, SlotKind kind, long page, long lsn, int stream, long from) {
    long stable = beginChange(slot);
    header(slot, kind, page, lsn, stream);
    Memory.copy(from, slot + SlotLayout.PAGE, PageLayout.PAGE_BYTES);
    endChange(slot, stable);
  }

  /** Empties the slot. The old bytes stay behind the header. */
  void clear(long slot) {
    long stable = beginChange(slot);
    header(slot, SlotKind.EMPTY, 0, 0, 0);
    endChange(slot, stable);
  }

  private static void header(long slot, SlotKind kind, long page, long lsn, int stream) {
    Memory.putByte(slot + SlotLayout.LAYOUT_VERSION, SlotLayout.CURRENT_VERSION);
    Memory.putByte(slot + SlotLayout.KIND, kind.id());
    Memory.putShort(slot + SlotLayout.STREAM, stream);
    Memory.putLong(slot + SlotLayout.PAGE_ID, page);
    Memory.putLong(slot + SlotLayout.LSN, lsn);
  }

  /** Returns the version word that the slot will have when it is at rest again. */
  private static long beginChange(long slot) {
    long word = Memory.getLong(slot + SlotLayout.VERSION_WORD);
    Memory.putLong(slot + SlotLayout.VERSION_WORD, word + 1);
    VarHandle.storeStoreFence(); // no reader sees new bytes with the old, even word
    return word + 2;
  }

  private void endChange(long slot, long stable) {
    Memory.putInt(slot + SlotLayout.CRC, crc(slot, stable));
    VarHandle.storeStoreFence();
    Memory.putLong(slot + SlotLayout.VERSION_WORD, stable);
  }

  private int crc(long slot, long word) {
    crc.reset();
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (word >>> shift));
    }
    crc.update(Memory.buffer(slot + SlotLayout.LAYOUT_VERSION, REST));
    return (int) crc.getValue();
  }

  /**
   * Validates a copy of a slot that was read from another machine.
   *
   * @param copy address of the copy
   * @param page that was requested
   */
  Verdict judge(long copy, long page) {
    long word = Memory.getLong(copy + SlotLayout.VERSION_WORD);
    if (word == 0) {
      return Verdict.OTHER; // never used
    }
    if ((word & 1) != 0 || Memory.getInt(copy + SlotLayout.CRC) != crc(copy, word)) {
      return Verdict.TORN;
    }
    return kind(copy) != SlotKind.EMPTY
            && Memory.getUnsignedByte(copy + SlotLayout.LAYOUT_VERSION)
                == SlotLayout.CURRENT_VERSION
            && page(copy) == page
        ? Verdict.GOOD
        : Verdict.OTHER;
  }

  static SlotKind kind(long slot) {
    return SlotKind.of(Memory.getUnsignedByte(slot + SlotLayout.KIND));
  }

  static long page(long slot) {
    return Memory.getLong(slot + SlotLayout.PAGE_ID);
  }

  public static long lsn(long slot) {
    return Memory.getLong(slot + SlotLayout.LSN);
  }

  static int stream(long slot) {
    return Memory.getUnsignedShort(slot + SlotLayout.STREAM);
  }

  /** Address of the page's bytes. */
  public static long bytes(long slot) {
    return slot + SlotLayout.PAGE;
  }
}
