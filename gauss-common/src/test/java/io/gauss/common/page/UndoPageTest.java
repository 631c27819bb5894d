package io.gauss.common.page;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.memory.Memory;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UndoPageTest {
  @Test
  void recordsComeBackAsTheyWereAppendedUntilThePageIsFull() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.out.println("UndoPageTest gauss.seed=" + seed);
    Random random = new Random(seed);
    try (Arena arena = Arena.ofConfined()) {
      for (int round = 0; round < 50; round++) {
        long page = formatted(arena);
        long record = Memory.allocate(arena, PageLayout.PAGE_BYTES, 8);
        List<byte[]> twin = new ArrayList<>();
        while (true) {
          byte[] bytes = new byte[1 + random.nextInt(400)];
          random.nextBytes(bytes);
          if (UndoPage.room(page) < bytes.length + UndoPage.SLOT_BYTES) {
            break;
          }
          Memory.copyIn(bytes, 0, record, bytes.length);
          UndoPage.append(page, record, bytes.length);
          twin.add(bytes);
        }
        assertEquals(twin.size(), UndoPage.slotCount(page), "seed " + seed);
        for (int slot = 0; slot < twin.size(); slot++) {
          byte[] bytes = new byte[UndoPage.recordLength(page, slot)];
          Memory.copyOut(UndoPage.record(page, slot), bytes, 0, bytes.length);
          assertArrayEquals(twin.get(slot), bytes, "seed " + seed);
        }
      }
    }
  }

  @Test
  void theLongestRecordFitsAnEmptyPageAndNothingLongerDoes() {
    try (Arena arena = Arena.ofConfined()) {
      long page = formatted(arena);
      long record = Memory.allocate(arena, PageLayout.PAGE_BYTES, 8);
      assertThrows(
          IllegalStateException.class,
          () -> UndoPage.append(page, record, UndoPage.MAX_RECORD + 1));
      UndoPage.append(page, record, UndoPage.MAX_RECORD);
      assertEquals(0, UndoPage.room(page));
    }
  }

  @Test
  void goldenBytesOfAPurgeListEntry() {
    try (Arena arena = Arena.ofConfined()) {
      long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, 8);
      long at = page + PurgeListLayout.entry(1);
      Memory.putLong(at + PurgeListLayout.PAGE, 0x0000_0085_0000_0007L);
      Memory.putLong(at + PurgeListLayout.XID, 0x0102_0000_0000_0005L);
      Memory.putLong(at + PurgeListLayout.LSN, 0x1112131415161718L);
      assertEquals(
          "0700000085000000" + "0500000000000201" + "1817161514131211", hex(page + 88, 24));
      assertTrue(PurgeListLayout.entry(PurgeListLayout.ENTRIES) <= PageLayout.PAGE_BYTES);
      assertEquals(68, UndoDirectoryLayout.PURGE_LIST);
      assertEquals(72, UndoDirectoryLayout.FIRST_ENTRY);
    }
  }

  @Test
  void goldenBytes() {
    try (Arena arena = Arena.ofConfined()) {
      long page = formatted(arena);
      Memory.putShort(page + UndoPage.SEGMENT, 0x0102);
      long record = Memory.allocate(arena, 64, 8);
      Memory.putLong(record + UndoRecordLayout.LSN, 0x1112131415161718L);
      Memory.putLong(record + UndoRecordLayout.XID, 0x0102_0000_0000_0005L);
      Memory.putInt(record + UndoRecordLayout.PREVIOUS_PAGE, 0x21222324);
      Memory.putShort(record + UndoRecordLayout.PREVIOUS_SLOT, 0x0304);
      Memory.putByte(record + UndoRecordLayout.CONTENT, 0x7F);
      UndoPage.append(page, record, UndoRecordLayout.CONTENT + 1);
      assertEquals(
          "0201000000000000" // segment
              + "18171615141312110500000000000201" // own LSN, xid
              + "2423222104030000" // previous page and slot
              + "7f", // content
          hex(page + UndoPage.SEGMENT, 8 + 25));
      assertEquals("4800", hex(page + PageLayout.PAGE_BYTES - 2, 2));
      assertEquals(1, PageView.slotCount(page));
      assertEquals(72 + 25, PageView.freeStart(page));
    }
  }

  @Test
  void goldenOffsetsOfTheSegmentPages() {
    assertEquals(64, UndoSegmentLayout.SEGMENT);
    assertEquals(68, UndoSegmentLayout.TABLE_FIRST);
    assertEquals(72, UndoSegmentLayout.TABLE_LAST);
    assertEquals(76, UndoSegmentLayout.UNDO_FIRST);
    assertEquals(80, UndoSegmentLayout.UNDO_LAST);
    assertEquals(84, UndoSegmentLayout.UNDO_PREVIOUS);
    assertEquals(88, UndoSegmentLayout.MARK_XID);
    assertEquals(96, UndoSegmentLayout.MARK_PAGE);
    assertEquals(100, UndoSegmentLayout.MARK_SLOT);
    assertEquals(104, UndoSegmentLayout.MARK_FROM_PAGE);
    assertEquals(108, UndoSegmentLayout.MARK_FROM_SLOT);
    assertEquals(112, UndoSegmentLayout.OVERWRITTEN_CSN);
    assertEquals(120, UndoSegmentLayout.END);
    assertEquals(72, UndoTableLayout.CHUNK);
    assertEquals(80, UndoTableLayout.entry(0));
    assertEquals(80 + 8 * 999, UndoTableLayout.entry(4_999));
    assertEquals(72, UndoDirectoryLayout.entry(1));
    assertEquals(72 + 4 * 1999, UndoDirectoryLayout.entry(2000));
    assertEquals(72, UndoDirectoryLayout.entry(2001));
  }

  private static long formatted(Arena arena) {
    long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
    SlottedPage.format(page, PageType.UNDO, 0, 0, 1, 0);
    return page;
  }

  private static String hex(long address, int length) {
    byte[] bytes = new byte[length];
    Memory.copyOut(address, bytes, 0, length);
    return HexFormat.of().formatHex(bytes);
  }
}
