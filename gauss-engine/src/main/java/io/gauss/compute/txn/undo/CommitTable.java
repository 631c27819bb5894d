package io.gauss.compute.txn.undo;

import io.gauss.common.invariant.Invariant;
import io.gauss.common.page.UndoTableLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Outcomes of one undo segment's transactions in memory: a mirror of its transaction table, which
 * answers every look-up on this node.
 *
 * <p>Written by the thread that has the segment (one at a time), read by any thread without locks.
 * Entries change in a sequentially consistent order: active, then pending, then the CSN (rule 2),
 * or active, then aborted. Chunks are never reused in memory, so a late reader still reads the
 * right outcome of its sequence, or that it was overwritten.
 */
public final class CommitTable {
  public static final long ACTIVE = 0;
  public static final long PENDING = 2;

  /** Answer of {@link #get}: the entry's page was reused; see {@link #overwrittenCsn}. */
  public static final long OVERWRITTEN = 4;

  /**
   * Answer of {@link #get} for sequences that no transaction ever had, or whose traces were lost in
   * a crash.
   */
  public static final long NEVER = -1;

  private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle CHUNK = MethodHandles.arrayElementVarHandle(Chunk[].class);
  private static final int ENTRIES = UndoTableLayout.ENTRIES;

  /** One table page. */
  public static final class Chunk {
    final long number;
    final int page;
    public final long[] entries = new long[ENTRIES];

    /**
     * When the next chunk was begun, in nanoseconds of the monotonic clock: all entries are older.
     */
    public long fullSince;

    public Chunk(long number, int page) {
      this.number = number;
      this.page = page;
    }

    /** Highest CSN in the chunk, 0 if nothing committed. */
    long highestCsn() {
      long highest = 0;
      for (long entry : entries) {
        highest = Math.max(highest, entry);
      }
      return highest;
    }

    public long firstSequence() {
      return number * ENTRIES;
    }
  }

  private volatile Chunk[] ring = new Chunk[2];
  private volatile long overwrittenCsn;
  private volatile long oldestNumber;

  // Of the writer: chunks in order of age.
  private Chunk[] order = new Chunk[2];
  private int first;
  private int count;

  /** The newest chunk; null before the first is added. */
  Chunk last() {
    return count == 0 ? null : order[(first + count - 1) & (order.length - 1)];
  }

  public Chunk oldest() {
    return count == 0 ? null : order[first];
  }

  /** The second oldest of at least two. */
  Chunk second() {
    return order[(first + 1) & (order.length - 1)];
  }

  int chunks() {
    return count;
  }

  /** By the writer: all chunks, oldest first. */
  public List<Chunk> all() {
    List<Chunk> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      all.add(order[(first + i) & (order.length - 1)]);
    }
    return all;
  }

  /** First sequence above this one that has a table page; {@link Long#MAX_VALUE} if none. */
  long nextKnown(long sequence) {
    long number = Long.MAX_VALUE;
    Chunk[] current = ring;
    for (int i = 0; i < current.length; i++) {
      Chunk chunk = (Chunk) CHUNK.getVolatile(current, i);
      if (chunk != null && chunk.firstSequence() > sequence) {
        number = Math.min(number, chunk.number);
      }
    }
    return number == Long.MAX_VALUE ? number : number * ENTRIES;
  }

  /** Adds a chunk, younger than all others. */
  public void add(Chunk chunk) {
    if (count == order.length) {
      Chunk[] grown = new Chunk[count * 2];
      for (int i = 0; i < count; i++) {
        grown[i] = order[(first + i) & (count - 1)];
      }
      order = grown;
      first = 0;
    }
    order[(first + count) & (order.length - 1)] = chunk;
    count++;
    oldestNumber = oldest().number;
    Chunk[] current = ring;
    int index = (int) chunk.number & (current.length - 1);
    Chunk there = current[index];
    if (there == null) {
      CHUNK.setVolatile(current, index, chunk);
      return;
    }
    rebuild(current.length * 2);
  }

  /** Builds a larger ring in which no two chunks collide. */
  private void rebuild(int size) {
    for (int length = size; ; length *= 2) {
      Chunk[] larger = new Chunk[length];
      boolean fits = true;
      for (int i = 0; i < count && fits; i++) {
        Chunk chunk = order[(first + i) & (order.length - 1)];
        int index = (int) chunk.number & (length - 1);
        fits = larger[index] == null;
        larger[index] = chunk;
      }
      if (fits) {
        ring = larger;
        return;
      }
    }
  }

  /**
   * Forgets the oldest of at least two chunks; from now on look-ups of its sequences are answered
   * by rule 24.
   */
  Chunk dropOldest() {
    Chunk chunk = order[first];
    overwrittenCsn(chunk.highestCsn());
    order[first] = null;
    first = (first + 1) & (order.length - 1);
    count--;
    oldestNumber =
        oldest().number; // before the chunk disappears, so that no reader takes it for never used
    Chunk[] current = ring;
    int index = (int) chunk.number & (current.length - 1);
    if (current[index] == chunk) {
      CHUNK.setVolatile(current, index, null);
    }
    return chunk;
  }

  /**
   * Highest CSN that was overwritten: snapshots at or above it see every overwritten commit (rule
   * 24).
   */
  public long overwrittenCsn() {
    return overwrittenCsn;
  }

  public void overwrittenCsn(long csn) {
    overwrittenCsn = Math.max(overwrittenCsn, csn);
  }

  /**
   * {@link #ACTIVE}, {@link #PENDING}, a negative number for an aborted transaction (minus the LSN
   * of its end; {@link #NEVER}), {@link #OVERWRITTEN}, or the CSN.
   */
  public long get(long sequence) {
    long number = sequence / ENTRIES;
    Chunk[] current = ring;
    Chunk chunk = (Chunk) CHUNK.getVolatile(current, (int) number & (current.length - 1));
    if (chunk != null && chunk.number == number) {
      return (long) ENTRY.getVolatile(chunk.entries, (int) (sequence - number * ENTRIES));
    }
    return missing(number);
  }

  private long missing(long number) {
    return number < oldestNumber ? OVERWRITTEN : NEVER;
  }

  /** By the writer: sets the entry of a sequence in the newest chunks. */
  public void set(long sequence, long value) {
    long number = sequence / ENTRIES;
    Chunk[] current = ring;
    Chunk chunk = current[(int) number & (current.length - 1)];
    Invariant.check(
        chunk != null && chunk.number == number, "no table page for sequence {}", sequence);
    ENTRY.setVolatile(chunk.entries, (int) (sequence - number * ENTRIES), value);
  }

  /** By the writer: page of the table that has the entry. */
  public int pageOf(long sequence) {
    long number = sequence / ENTRIES;
    Chunk[] current = ring;
    Chunk chunk = current[(int) number & (current.length - 1)];
    Invariant.check(
        chunk != null && chunk.number == number, "no table page for sequence {}", sequence);
    return chunk.page;
  }
}
