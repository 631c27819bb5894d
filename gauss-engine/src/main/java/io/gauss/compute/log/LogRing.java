package io.gauss.compute.log;

import io.gauss.common.invariant.Invariant;
import io.gauss.common.memory.Memory;
import io.gauss.common.redo.MtrLayout;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The bytes between reservation and append: a ring addressed by stream offset.
 *
 * <p>Writers copy their MTR to the place they reserved and publish its length; the sender walks
 * over the bytes published without a gap. Until it is published, only its writer writes a place;
 * from then until it is durable and its credit is returned, only the sender reads it.
 *
 * <p>An MTR that starts before the ring's end continues past it, into an overhang as large as the
 * largest MTR, so that every MTR and every batch is contiguous. Lengths are published in cells of
 * 32 bytes of offset each: an MTR is longer than a cell, so no two of them start in one.
 */
final class LogRing {
  private static final int CELL_SHIFT = 5;
  private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(int[].class);

  // Freed with the object: appends under way reach the bytes by address.
  private final Arena arena = Arena.ofAuto();
  private final long base;
  private final int bytes;
  private final int[] cells;

  LogRing(int bytes, int overhang) {
    Invariant.check(
        MtrLayout.HEADER_BYTES + MtrLayout.RECORD_HEADER_BYTES > 1 << CELL_SHIFT,
        "two MTRs may begin in one cell");
    this.bytes = bytes;
    this.base = Memory.allocate(arena, (long) bytes + overhang, 4096);
    this.cells = new int[bytes >> CELL_SHIFT];
  }

  int bytes() {
    return bytes;
  }

  long address(long offset) {
    return base + (offset & (bytes - 1));
  }

  int index(long offset) {
    return (int) (offset & (bytes - 1));
  }

  /**
   * Hands the MTR at the offset to the sender. Sequentially consistent with the sender's requests.
   */
  void publish(long offset, int length) {
    CELLS.setVolatile(cells, index(offset) >> CELL_SHIFT, length);
  }

  /** Length of the MTR at the offset, or 0 while it is not published. */
  int published(long offset) {
    return (int) CELLS.getVolatile(cells, index(offset) >> CELL_SHIFT);
  }

  /** Clears the cell for the ring's next lap. By the sender. */
  void consume(long offset) {
    CELLS.setRelease(cells, index(offset) >> CELL_SHIFT, 0);
  }
}
