package io.gauss.common.memory;

import static io.gauss.common.invariant.InvariantsHold.expectBroken;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.invariant.BrokenInvariant;
import io.gauss.common.invariant.InvariantsHold;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The checked mode of {@link Memory}, in which all tests run. */
class CheckedMemoryTest {
  private static final int BYTES = 100;

  private static void assertFound(String flaw, InvariantsHold.Body access) {
    BrokenInvariant e = expectBroken(access);
    assertTrue(e.getMessage().contains(flaw), e.getMessage());
  }

  @Test
  void whatIsAllocatedMayBeAccessedToItsLastByte() {
    try (Arena arena = Arena.ofConfined()) {
      long at = Memory.allocate(arena, BYTES, 8);
      Memory.putLong(at + BYTES - Long.BYTES, 7);
      assertEquals(7, Memory.getUnsignedByte(at + BYTES - Long.BYTES));
      Memory.zero(at, BYTES);
      Memory.copy(at + BYTES, at, 0); // nothing, from after the end
    }
  }

  @Test
  void anAccessOutOfBoundsIsFound() {
    try (Arena arena = Arena.ofConfined()) {
      long at = Memory.allocate(arena, BYTES, 8);
      byte[] array = new byte[BYTES + 1];
      List<InvariantsHold.Body> accesses =
          List.of(
              () -> Memory.getByte(at + BYTES),
              () -> Memory.getByte(at - 1),
              () -> Memory.getUnsignedByte(at + BYTES),
              () -> Memory.getShort(at + BYTES - 1),
              () -> Memory.getUnsignedShort(at + BYTES - 1),
              () -> Memory.getInt(at + BYTES - 3),
              () -> Memory.getLong(at + BYTES - 7),
              () -> Memory.getIntBigEndian(at + BYTES - 3),
              () -> Memory.getLongBigEndian(at + BYTES - 7),
              () -> Memory.putByte(at + BYTES, 1),
              () -> Memory.putShort(at + BYTES - 1, 1),
              () -> Memory.putInt(at + BYTES - 3, 1),
              () -> Memory.putLong(at + BYTES - 7, 1),
              () -> Memory.copy(at, at + 1, BYTES),
              () -> Memory.copy(at + 1, at, BYTES),
              () -> Memory.copy(at, at, -1),
              () -> Memory.copyIn(array, 0, at, BYTES + 1),
              () -> Memory.copyOut(at, array, 0, BYTES + 1),
              () -> Memory.zero(at, BYTES + 1),
              () -> Memory.segment(at, BYTES + 1),
              () -> Memory.buffer(at + 1, BYTES));
      accesses.forEach(access -> assertFound("out of bounds", access));
    }
  }

  @Test
  void useAfterFreeIsFound() {
    long at;
    try (Arena arena = Arena.ofConfined()) {
      at = Memory.allocate(arena, BYTES, 8);
      Memory.putByte(at, 1);
    }
    assertFound("after", () -> Memory.getByte(at));
    assertFound("after", () -> Memory.putLong(at + 8, 1));
  }

  @Test
  void anAddressThatNobodyAllocatedIsFound() {
    expectBroken(() -> Memory.getByte(8));
    try (Arena arena = Arena.ofConfined()) {
      long others = arena.allocate(BYTES).address();
      expectBroken(() -> Memory.getByte(others));
    }
  }

  @Test
  void memoryOfOthersMayBeAccessedWithinTheBoundsThatWereNamed() {
    try (Arena arena = Arena.ofConfined()) {
      long others = arena.allocate(BYTES).address();
      assertEquals(others, Memory.foreign(others, BYTES - 1));
      Memory.putByte(others + BYTES - 2, 1);
      expectBroken(() -> Memory.getByte(others + BYTES - 1));
      Memory.foreign(others, BYTES);
      Memory.putByte(others + BYTES - 1, 1);
    }
  }

  @Test
  void aBufferMayBeAccessedFromItsPositionToItsLimit() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES).position(10).limit(20);
    long at = Memory.addressOf(buffer);
    assertEquals(MemorySegment.ofBuffer(buffer).address(), at);
    Memory.putByte(at + 9, 1);
    expectBroken(() -> Memory.putByte(at + 10, 1));
    assertThrows(
        IllegalArgumentException.class, () -> Memory.addressOf(ByteBuffer.allocate(BYTES)));
  }

  @Test
  void aBufferOverAnAllocationDoesNotOutliveIt() {
    long at;
    try (Arena arena = Arena.ofConfined()) {
      at = Memory.allocate(arena, BYTES, 8);
      assertEquals(at, Memory.addressOf(Memory.buffer(at, BYTES)));
    }
    expectBroken(() -> Memory.getByte(at));
  }

  @Test
  void manyAllocationsThatComeAndGoAreKeptApart() {
    List<Long> kept = new ArrayList<>();
    try (Arena forAll = Arena.ofConfined()) {
      for (int i = 0; i < 5000; i++) {
        try (Arena arena = Arena.ofConfined()) {
          long at = Memory.allocate(arena, 8 + i % 64, 8);
          Memory.putLong(at, i);
        }
        if (i % 10 == 0) {
          kept.add(Memory.allocate(forAll, Long.BYTES, 8));
        }
      }
      kept.forEach(at -> Memory.putLong(at, at));
      kept.forEach(at -> assertEquals(at, Memory.getLong(at)));
    }
    kept.forEach(at -> expectBroken(() -> Memory.getLong(at)));
  }

  @Test
  void aSlabIsAnAllocationToo() {
    Slab slab = Slab.allocate(BYTES);
    Memory.putByte(slab.address() + BYTES - 1, 1);
    assertFound("out of bounds", () -> Memory.putByte(slab.address() + BYTES, 1));
  }
}
