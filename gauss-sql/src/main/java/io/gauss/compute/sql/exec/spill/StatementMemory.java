package io.gauss.compute.sql.exec.spill;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that all statements of a node may take together for rows: sorts, hash tables, spools.
 * Each of those that are open gets an equal share at most, whatever {@code work_mem} says, and
 * looks again with each row, so that it spills when others have opened since. What cannot spill
 * ({@link UnspillableMemory}) takes as much again together, first come, first served: a share would
 * let statements fail for others that use none of theirs. Thread-safe.
 */
public final class StatementMemory {
  /** What a sort or hash table gets even when there are very many. */
  private static final long LEAST_SHARE = 64 << 10;

  private final long most;
  private final AtomicInteger holders = new AtomicInteger();
  private final AtomicLong unspillable = new AtomicLong();

  /**
   * @param most bytes of all together
   */
  public StatementMemory(long most) {
    this.most = most;
  }

  /** Some sorts or hash tables are opened. */
  public void enter(int count) {
    holders.addAndGet(count);
  }

  public void leave(int count) {
    holders.addAndGet(-count);
  }

  /** How many are open. */
  public int holders() {
    return holders.get();
  }

  /**
   * @param wanted bytes that one may take by its session's settings
   */
  public long share(long wanted) {
    int sharing = Math.max(1, holders.get());
    if (wanted * sharing <= most) {
      return wanted;
    }
    return Math.min(wanted, Math.max(LEAST_SHARE, most / sharing));
  }

  /**
   * What cannot spill takes other room than before; nothing changes when that is refused.
   *
   * @return whether there is room for it
   */
  boolean resizeUnspillable(long before, long now) {
    long more = now - before;
    if (unspillable.addAndGet(more) > most && more > 0) {
      unspillable.addAndGet(-more);
      return false;
    }
    return true;
  }

  /** Bytes that what cannot spill has. */
  public long unspillable() {
    return unspillable.get();
  }
}
