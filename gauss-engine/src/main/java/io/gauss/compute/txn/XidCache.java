package io.gauss.compute.txn;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Outcomes of other nodes' transactions that never change: xid -> value. Of a fixed size; old
 * entries are replaced, and asked for again when needed. Thread-safe, without locks for readers and
 * without allocation.
 *
 * <p>A set of three entries and a version takes one cache line. A writer makes the version odd
 * while it changes the set; another writer that finds it odd does not store its value, and a reader
 * that sees the version change counts as having found nothing.
 */
final class XidCache {
  /** Result of {@link #get}: not known here. */
  static final long UNKNOWN = 0;

  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int SET_LONGS = 8;
  private static final int ENTRIES = 3;

  // A set: version, then xid and value of each entry, then which entry is replaced next.
  private final long[] words;
  private final int mask;

  /**
   * @param sets a power of two
   */
  XidCache(int sets) {
    if (Integer.bitCount(sets) != 1) {
      throw new IllegalArgumentException(sets + " sets");
    }
    words = new long[sets * SET_LONGS];
    mask = sets - 1;
  }

  long get(long xid) {
    int set = set(xid);
    long version = (long) WORD.getAcquire(words, set);
    if ((version & 1) != 0) {
      return UNKNOWN;
    }
    long value = UNKNOWN;
    for (int i = 0; i < ENTRIES; i++) {
      int at = set + 1 + 2 * i;
      if ((long) WORD.getOpaque(words, at) == xid) {
        value = (long) WORD.getOpaque(words, at + 1);
        break;
      }
    }
    VarHandle.acquireFence();
    return (long) WORD.getOpaque(words, set) == version ? value : UNKNOWN;
  }

  /**
   * Remembers a value, unless another thread is changing the set.
   *
   * @param value not {@link #UNKNOWN}
   */
  void put(long xid, long value) {
    int set = set(xid);
    long version = (long) WORD.getAcquire(words, set);
    if ((version & 1) != 0 || !WORD.compareAndSet(words, set, version, version + 1)) {
      return;
    }
    VarHandle.releaseFence();
    int at = set + 1 + 2 * place(set, xid);
    WORD.setOpaque(words, at, xid);
    WORD.setOpaque(words, at + 1, value);
    WORD.setRelease(words, set, version + 2);
  }

  /** By the writer of the set: the entry that has the xid, else an empty one, else the next. */
  private int place(int set, long xid) {
    for (int i = 0; i < ENTRIES; i++) {
      long there = words[set + 1 + 2 * i];
      if (there == xid || there == 0) {
        return i;
      }
    }
    int next = (int) words[set + SET_LONGS - 1];
    words[set + SET_LONGS - 1] = (next + 1L) % ENTRIES;
    return next;
  }

  private int set(long xid) {
    long hash = xid * 0x9E37_79B9_7F4A_7C15L;
    return ((int) (hash >>> 32) & mask) * SET_LONGS;
  }
}
