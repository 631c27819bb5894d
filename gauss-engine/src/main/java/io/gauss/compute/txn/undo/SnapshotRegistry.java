package io.gauss.compute.txn.undo;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.agrona.collections.IntArrayList;

/**
 * Lower bounds of all open snapshots, one slot each, so that opening a snapshot is one store into a
 * separate cache line.
 *
 * <p>Slots come in chunks that are never given back; a session keeps its slot for life, so an idle
 * one costs 64 bytes and one read when the horizon is computed. Registering and clearing take no
 * lock; taking and giving slots does.
 *
 * <p>Invariant (rule 7): {@link #lowest} called with a bound that was the clock's value at some
 * moment before the call returns a value that is at or below every snapshot open now or opened
 * later. That holds because a snapshot registers a value of the clock <em>before</em> it reads the
 * clock for its own.
 */
public final class SnapshotRegistry {
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int CHUNK_SLOTS = 256;
  private static final int STRIDE = 8; // longs: a cache line
  private static final long NONE = 0;

  private volatile long[][] chunks = new long[0][];
  private final IntArrayList freeSlots = new IntArrayList();

  public synchronized int takeSlot() {
    if (freeSlots.isEmpty()) {
      long[][] old = chunks;
      long[][] grown = Arrays.copyOf(old, old.length + 1);
      grown[old.length] = new long[CHUNK_SLOTS * STRIDE];
      for (int i = CHUNK_SLOTS - 1; i >= 0; i--) {
        freeSlots.pushInt(old.length * CHUNK_SLOTS + i);
      }
      chunks = grown;
    }
    return freeSlots.popInt();
  }

  public synchronized void giveSlot(int slot) {
    clear(slot);
    freeSlots.pushInt(slot);
  }

  /** Sequentially consistent with the clock read that follows. */
  public void register(int slot, long bound) {
    SLOT.setVolatile(chunks[slot / CHUNK_SLOTS], (slot % CHUNK_SLOTS) * STRIDE, bound);
  }

  public void clear(int slot) {
    SLOT.setRelease(chunks[slot / CHUNK_SLOTS], (slot % CHUNK_SLOTS) * STRIDE, NONE);
  }

  /**
   * The lowest registered bound, or {@code clockNow} when it is lower.
   *
   * @param clockNow the clock's value, read before this call
   */
  long lowest(long clockNow) {
    long lowest = clockNow;
    for (long[] chunk : chunks) {
      for (int i = 0; i < chunk.length; i += STRIDE) {
        long bound = (long) SLOT.getVolatile(chunk, i);
        if (bound != NONE && bound < lowest) {
          lowest = bound;
        }
      }
    }
    return lowest;
  }

  /** Open snapshots, for metrics. */
  public int open() {
    int count = 0;
    for (long[] chunk : chunks) {
      for (int i = 0; i < chunk.length; i += STRIDE) {
        if ((long) SLOT.getVolatile(chunk, i) != NONE) {
          count++;
        }
      }
    }
    return count;
  }
}
