package io.gauss.common.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.page.UndoSpaces;
import org.junit.jupiter.api.Test;

class XidTest {
  @Test
  void anXidHasTheseBits() {
    assertEquals(0x0400_7000_0000_004DL, Xid.of(Xid.segment(2, 7), 77));
    assertEquals(0xFBFF_FFFF_FFFF_FFFFL, Xid.of(Xid.segment(63, Xid.MAX_INDEX), (1L << 44) - 1));
    assertEquals(0x0000_1000_0000_0001L, Xid.of(Xid.segment(1, 1), 1));
  }

  @Test
  void allPartsComeBackFromTheFirstAndTheLastSlot() {
    for (int slot : new int[] {1, 2, 32, 33, Xid.MAX_SLOT}) {
      for (int index : new int[] {1, 1000, Xid.MAX_INDEX}) {
        long xid = Xid.of(Xid.segment(slot, index), Xid.SEQUENCE_MASK - 5);
        assertEquals(slot, Xid.slot(xid));
        assertEquals(index, Xid.index(xid));
        assertEquals(Xid.SEQUENCE_MASK - 5, Xid.sequence(xid));
        assertEquals(slot, Xid.slotOf(Xid.segment(xid)));
        assertEquals(index, Xid.indexOf(Xid.segment(xid)));
      }
    }
  }

  @Test
  void anXidIsWrittenWithItsSlot() {
    assertEquals("7.77@2", Xid.toString(Xid.of(Xid.segment(2, 7), 77)));
    assertEquals("none", Xid.toString(Xid.NONE));
  }

  @Test
  void everySlotHasAnUndoSpaceOfItsOwn() {
    assertEquals(65, UndoSpaces.of(1));
    assertEquals(127, UndoSpaces.of(Xid.MAX_SLOT));
    assertEquals(66, UndoSpaces.ofXid(Xid.of(Xid.segment(2, 7), 77)));
    assertEquals(2, UndoSpaces.slot(66));
    assertTrue(UndoSpaces.contains(65) && UndoSpaces.contains(127));
    assertFalse(UndoSpaces.contains(64) || UndoSpaces.contains(128));
    assertThrows(IllegalArgumentException.class, () -> UndoSpaces.of(64));
  }
}
