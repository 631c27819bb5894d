package io.gauss.compute.txn.undo;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Xid;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.log.LogBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The LSN at or below which every present and future snapshot sees every commit, and per undo
 * segment the sequence below which all transactions ended by then. Reading either is one load.
 *
 * <p>Computed in the background from the registered snapshots, from the LSN up to which commits are
 * visible, and from the bounds that the other nodes report: commits below the horizon are visible
 * everywhere, so a reader that sees one need not remember it. Only ever rises. A transaction that
 * rolled back counts by the LSN of its end, so that a reader that copied its xid from a page under
 * an open snapshot still learns that it aborted.
 */
public final class PurgeHorizon {
  private static final VarHandle PASSED = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle MARKS = MethodHandles.arrayElementVarHandle(long[][].class);

  /** Reading all snapshots for each of many calls of other nodes would be dear. */
  private static final long BOUND_NANOS = 10_000_000;

  /** The marks of slots about which nothing is known. */
  private static final long[] UNKNOWN = new long[Xid.MAX_INDEX + 1];

  static {
    UNKNOWN[0] = Long.MAX_VALUE; // Xid.NONE is visible to every snapshot
  }

  private final LogBuffer log;
  private final SnapshotRegistry snapshots;
  // By slot less one, and by segment in the slot.
  private final long[][] passed = new long[Xid.MAX_SLOT + 1][];
  private volatile long lsn;
  private final AtomicLong localBound = new AtomicLong();
  private volatile long boundAt = Environment.nanoTime() - BOUND_NANOS;
  private volatile long marked;
  private volatile LongSupplier others = () -> Long.MAX_VALUE;

  public PurgeHorizon(LamportClock clock, LogBuffer log, SnapshotRegistry snapshots) {
    this.log = log;
    this.snapshots = snapshots;
    Arrays.fill(passed, UNKNOWN);
    marks(clock.node());
  }

  public long lsn() {
    return lsn;
  }

  /**
   * The bound that this node reports to the others: none of its snapshots, open or future, is below
   * this LSN, and none of its commits at or below it is invisible. Never falls; some milliseconds
   * old, also while nobody calls {@link #refresh}. Any thread.
   */
  public long localBound() {
    return Environment.nanoTime() - boundAt < BOUND_NANOS ? localBound.get() : computeBound();
  }

  private long computeBound() {
    boundAt = Environment.nanoTime();
    long settled = log.settledLsn(); // before the look at the snapshots (rule 7)
    return localBound.accumulateAndGet(snapshots.lowest(settled), Math::max);
  }

  /**
   * From now on the horizon is not above the bounds that the other nodes report.
   *
   * @param bound the lowest of them; {@link Long#MAX_VALUE} when there are no others
   */
  public void others(LongSupplier bound) {
    others = bound;
  }

  /** True when {@code xid} has ended and every snapshot sees its outcome; false means nothing. */
  public boolean passed(long xid) {
    return Xid.sequence(xid) < passedSequence(Xid.segment(xid));
  }

  /** All sequences of the segment below this one are passed. */
  public long passedSequence(int segment) {
    long[] marks = (long[]) MARKS.getAcquire(passed, Xid.slotOf(segment) - 1);
    return (long) PASSED.getAcquire(marks, Xid.indexOf(segment));
  }

  /** The marks of a slot, made when there are none yet. */
  private long[] marks(int slot) {
    long[] marks = (long[]) MARKS.getAcquire(passed, slot - 1);
    return marks != UNKNOWN ? marks : makeMarks(slot);
  }

  private synchronized long[] makeMarks(int slot) {
    if (passed[slot - 1] == UNKNOWN) {
      MARKS.setRelease(passed, slot - 1, UNKNOWN.clone());
    }
    return passed[slot - 1];
  }

  /**
   * Another node reports that all transactions of a segment below a sequence are passed,
   * everywhere. Any thread.
   */
  public void learn(int segment, long sequence) {
    long[] marks = marks(Xid.slotOf(segment));
    int index = Xid.indexOf(segment);
    long before = (long) PASSED.getAcquire(marks, index);
    while (before < sequence && !PASSED.compareAndSet(marks, index, before, sequence)) {
      before = (long) PASSED.getAcquire(marks, index);
    }
  }

  /** Computes the horizon anew from the snapshots registered now; one thread at a time. */
  public long refresh() {
    long lowest = Math.min(computeBound(), others.getAsLong());
    if (lowest > lsn) {
      lsn = lowest;
    }
    return lsn;
  }

  /**
   * Moves the segment's mark over all transactions that ended at or below the horizon; the thread
   * of {@link #refresh}.
   *
   * @return true when there are no others
   */
  public boolean advance(UndoSegment segment) {
    long horizon = lsn;
    long mark = passedSequence(segment.id);
    long newest = segment.sequence();
    CommitTable table = segment.table;
    while (mark <= newest) {
      long entry = table.get(mark);
      if (entry == CommitTable.NEVER && segment.recoveredLsn() <= horizon) {
        mark = Math.min(newest + 1, table.nextKnown(mark)); // skipped by a restart
        continue;
      }
      // A snapshot from before a restart may have read a change that left no trace: until it is
      // closed, its transaction must not count as seen by every snapshot.
      if (entry == CommitTable.ACTIVE
          || entry == CommitTable.PENDING
          || entry == CommitTable.NEVER
          || Math.abs(entry) > horizon) {
        break;
      }
      mark++;
    }
    learn(segment.id, mark);
    return mark > newest;
  }

  /** The segments' marks have been moved according to this earlier horizon. */
  public void marked(long horizonBefore) {
    marked = horizonBefore;
  }

  /** The horizon according to which the marks of all segments of this node were last moved. */
  long marked() {
    return marked;
  }

  /** After a restart: all sequences below this one have ended. Before the segment is used. */
  public void startAt(UndoSegment segment, long sequence) {
    learn(segment.id, sequence);
  }
}
