package io.gauss.compute.log;

import io.gauss.common.memory.Memory;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;

/**
 * Off-heap buffers in which MTRs are built: powers of two from 4 KB on, kept for reuse, so that
 * idle sessions hold none. Thread-safe; off the path of most statements, since a session keeps its
 * small buffer while it is busy.
 */
public final class MtrBuffers {
  public static final int SMALL = 4096;
  private static final int CLASSES = 10; // 4 KB to 2 MB

  // Freed with the object, which every MTR that holds one of its buffers keeps alive.
  private final Arena arena = Arena.ofAuto();
  private final ArrayDeque<Long>[] free;

  @SuppressWarnings({"unchecked", "rawtypes"})
  MtrBuffers() {
    free = new ArrayDeque[CLASSES];
    for (int i = 0; i < CLASSES; i++) {
      free[i] = new ArrayDeque<>();
    }
  }

  /** The size of the buffer that {@link #take} returns for this many bytes. */
  public static int sizeFor(int bytes) {
    return Math.max(SMALL, Integer.highestOneBit(bytes - 1) << 1);
  }

  public long take(int size) {
    ArrayDeque<Long> list = free[classOf(size)];
    synchronized (list) {
      Long address = list.pollFirst();
      if (address != null) {
        return address;
      }
    }
    return Memory.allocate(arena, size, 64);
  }

  public void giveBack(long address, int size) {
    ArrayDeque<Long> list = free[classOf(size)];
    synchronized (list) {
      list.addFirst(address);
    }
  }

  private static int classOf(int size) {
    return Integer.numberOfTrailingZeros(size / SMALL);
  }
}
