package io.gauss.memory.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.memory.cache.PageSlot.Verdict;
import java.lang.foreign.Arena;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A slot's bytes, and how a remote reader interprets them. */
class PageSlotTest {
  private static final int LINE = 64;
  private static final int LINES = SlotLayout.BYTES / LINE;

  private final long seed = Long.getLong("gauss.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Arena arena = Arena.ofConfined();
  private final long slot = Memory.allocate(arena, SlotLayout.BYTES, LINE);
  private final long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, LINE);
  private final PageSlot slots = new PageSlot();

  @AfterEach
  void giveItBack() {
    arena.close();
  }

  @Test
  void aFilledSlotHasTheseBytes() {
    for (int i = 0; i < PageLayout.PAGE_BYTES; i++) {
      Memory.putByte(page + i, i * 7);
    }
    slots.write(slot, SlotKind.PAGE, 0x0000000500000009L, 0x0102030405060708L, 0x0A0B, page);
    assertEquals(
        "0200000000000000 a78e06f0 01 01 0b0a 0900000005000000 0807060504030201",
        hex(0, 8)
            + hex(8, 4)
            + hex(12, 1)
            + hex(13, 1)
            + hex(14, 2)
            + hex(16, 8)
            + hex(24, 8).strip());
    assertEquals("00070e151c232a31 ", hex(SlotLayout.PAGE, 8));
    assertEquals(8_256, SlotLayout.BYTES);
  }

  private String hex(int offset, int bytes) {
    byte[] copy = new byte[bytes];
    Memory.copyOut(slot + offset, copy, 0, bytes);
    return HexFormat.of().formatHex(copy) + " ";
  }

  @Test
  void aWholeSlotIsGoodForItsPageOnly() {
    assertEquals(Verdict.OTHER, slots.judge(slot, 9), "it was never used");
    fill(9, 100);
    assertEquals(Verdict.GOOD, slots.judge(slot, 9));
    assertEquals(Verdict.OTHER, slots.judge(slot, 10));
    assertEquals(100, PageSlot.lsn(slot));
    slots.clear(slot);
    assertEquals(Verdict.OTHER, slots.judge(slot, 9));
  }

  private void fill(long pageId, long lsn) {
    for (int i = 0; i < PageLayout.PAGE_BYTES; i += 8) {
      Memory.putLong(page + i, random.nextLong());
    }
    slots.write(slot, SlotKind.PAGE, pageId, lsn, 1, page);
  }

  @Test
  void aSlotThatIsBeingWrittenIsTorn() {
    fill(9, 100);
    Memory.putLong(slot, Memory.getLong(slot) + 1);
    assertEquals(Verdict.TORN, slots.judge(slot, 9));
  }

  /** A NIC reads line by line, in any order, while the slot changes from one page to another. */
  @Test
  void anyMixtureOfOldAndNewLinesIsTorn() {
    fill(9, 100);
    long old = copy();
    fill(9, 200);
    long mixed = Memory.allocate(arena, SlotLayout.BYTES, LINE);
    for (int round = 0; round < 2_000; round++) {
      int fresh = 0;
      for (int line = 0; line < LINES; line++) {
        boolean isNew = random.nextInt(LINES) < round % LINES;
        fresh += isNew ? 1 : 0;
        Memory.copy((isNew ? slot : old) + (long) line * LINE, mixed + (long) line * LINE, LINE);
      }
      Verdict expected = fresh == 0 || fresh == LINES ? Verdict.GOOD : Verdict.TORN;
      assertEquals(expected, slots.judge(mixed, 9), "seed " + seed + ", round " + round);
    }
  }

  /** Emptying changes the header only, so all the old lines are still there. */
  @Test
  void anOldHeaderBeforeANewCrcIsTornToo() {
    fill(9, 100);
    long old = copy();
    slots.clear(slot);
    Memory.copy(old + SlotLayout.LAYOUT_VERSION, slot + SlotLayout.LAYOUT_VERSION, 20);
    assertEquals(Verdict.TORN, slots.judge(slot, 9));
  }

  private long copy() {
    long copy = Memory.allocate(arena, SlotLayout.BYTES, LINE);
    Memory.copy(slot, copy, SlotLayout.BYTES);
    return copy;
  }
}
