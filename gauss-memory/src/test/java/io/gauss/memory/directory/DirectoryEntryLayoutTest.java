package io.gauss.memory.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.memory.Memory;
import io.gauss.memory.coherence.DirectoryPage;
import io.gauss.memory.coherence.DirectoryPage.State;
import java.lang.foreign.Arena;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The bytes of an entry. */
class DirectoryEntryLayoutTest {
  private final Arena arena = Arena.ofConfined();
  private final DirectoryEntry entry = new DirectoryEntry();

  @BeforeEach
  void takeMemory() {
    entry.at(Memory.allocate(arena, DirectoryEntryLayout.BYTES, 8));
    entry.clear();
  }

  @AfterEach
  void giveItBack() {
    arena.close();
  }

  @Test
  void aFilledEntryHasTheseBytes() {
    entry.set(
        new DirectoryPage(
            State.MOVING,
            3,
            5,
            0x0102030405060708L,
            0x8000_0000_0000_0022L,
            0x1122334455667788L,
            true,
            List.of()));
    assertEquals(
        "02 03 03 05 01 000000 0807060504030201 2200000000000080 8877665544332211",
        grouped(bytes(entry)));
  }

  private static byte[] bytes(DirectoryEntry entry) {
    byte[] bytes = new byte[DirectoryEntryLayout.BYTES];
    entry.copyOut(bytes, 0);
    return bytes;
  }

  private static String grouped(byte[] bytes) {
    int[] sizes = {1, 1, 1, 1, 1, 3, 8, 8, 8};
    StringBuilder text = new StringBuilder();
    int at = 0;
    for (int size : sizes) {
      text.append(HexFormat.of().formatHex(bytes, at, at + size)).append(' ');
      at += size;
    }
    assertEquals(bytes.length, at);
    return text.toString().strip();
  }

  @Test
  void anEntryIsTheSameAfterItHasTravelled() {
    DirectoryPage page =
        new DirectoryPage(State.REVOKING, 0, 63, Long.MAX_VALUE, 1L << 63, 99, false, List.of());
    entry.set(page);
    byte[] bytes = bytes(entry);
    DirectoryEntry other = new DirectoryEntry();
    other.at(Memory.allocate(arena, DirectoryEntryLayout.BYTES, 8));
    other.copyIn(bytes, 0);
    assertEquals(entry.toString(), other.toString());
    assertEquals(page, other.page(List.of()));
  }

  @Test
  void bytesOfAnotherVersionAndImpossibleOnesAreRefused() {
    byte[] bytes = bytes(entry);
    bytes[DirectoryEntryLayout.VERSION_OFFSET] = 3;
    assertThrows(IllegalArgumentException.class, () -> entry.copyIn(bytes, 0));
    byte[] impossible = bytes(entry);
    impossible[DirectoryEntryLayout.STATE] = 6;
    assertThrows(IllegalArgumentException.class, () -> entry.copyIn(impossible, 0));
  }

  @Test
  void onlySlotsOfComputeNodesOwnAndShare() {
    assertThrows(IllegalArgumentException.class, () -> entry.set(owned(64, 0)));
    assertThrows(IllegalArgumentException.class, () -> entry.set(owned(-1, 0)));
    assertThrows(IllegalArgumentException.class, () -> entry.set(owned(1, 1)));
  }

  private static DirectoryPage owned(int slot, long sharers) {
    return new DirectoryPage(State.OWNED, slot, 0, 1, sharers, 0, false, List.of());
  }

  @Test
  void everyStateHasANumberOfItsOwn() {
    for (State state : State.values()) {
      DirectoryPage page = new DirectoryPage(state, 1, 2, 3, 4, 5, false, List.of());
      entry.set(page);
      assertEquals(page, entry.page(List.of()));
    }
  }
}
