package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;

/**
 * What became of a transaction, by xid. Lock-free look-ups from any thread: one load when it is
 * below the purge horizon, three otherwise.
 *
 * <p>An outcome is final for whoever read the xid on a page whose latch it still holds, or under an
 * open snapshot: a transaction that rolls back ends only after it has put back every record, and
 * its end is below the horizon only when all snapshots of before are closed.
 */
public final class XidStates {
  public static final long ACTIVE = CommitTable.ACTIVE;
  public static final long ABORTED = 1;

  /** Between "committing" and the CSN; never returned, but waited for. */
  public static final long PENDING = CommitTable.PENDING;

  /** Committed, and every snapshot sees it. */
  public static final long ANCIENT = 3;

  /** The table entry was reused: rule 24 decides by {@link #overwrittenCsn}. */
  public static final long OVERWRITTEN = CommitTable.OVERWRITTEN;

  private static final int SPINS = 200;

  private final UndoSlots slots;
  private final PurgeHorizon horizon;

  XidStates(UndoSlots slots, PurgeHorizon horizon) {
    this.slots = slots;
    this.horizon = horizon;
  }

  /**
   * {@link #ACTIVE}, {@link #ABORTED} (rolled back to the end), {@link #ANCIENT}, {@link
   * #OVERWRITTEN} or the CSN. A transaction between "committing" and its CSN is waited for, which
   * takes as long as one log reservation (rule 2).
   */
  public long status(long xid) {
    if (horizon.passed(xid)) {
      return ANCIENT;
    }
    long sequence = Xid.sequence(xid);
    CommitTable table = segment(xid).table;
    long entry = table.get(sequence);
    if (entry == PENDING) {
      entry = awaitCsn(table, sequence);
    }
    return entry < 0 ? ABORTED : entry;
  }

  public boolean isActive(long xid) {
    return status(xid) == ACTIVE;
  }

  /** Highest CSN that the segment of {@code xid} has overwritten in its table. */
  public long overwrittenCsn(long xid) {
    return segment(xid).table.overwrittenCsn();
  }

  /**
   * The final outcome for {@code gauss_txn_status}: IN_PROGRESS, COMMITTED, ABORTED or UNKNOWN when
   * the entry was reused. A sequence that was never used, or whose traces a crash took, is aborted
   * for good: it will never be used again.
   */
  public Outcome outcome(long xid) {
    UndoSegment segment = slots.segment(xid);
    if (segment == null) {
      return Outcome.UNKNOWN;
    }
    long sequence = Xid.sequence(xid);
    if (sequence > segment.recoveredNewest() && sequence < segment.base()) {
      return Outcome.ABORTED; // of before the last restart, without a trace
    }
    if (sequence > segment.sequence()) {
      return Outcome.UNKNOWN;
    }
    long entry = segment.table.get(sequence);
    if (entry == PENDING) {
      entry = awaitCsn(segment.table, sequence);
    }
    if (entry == OVERWRITTEN) {
      return Outcome.UNKNOWN;
    }
    return entry == ACTIVE ? Outcome.IN_PROGRESS : entry < 0 ? Outcome.ABORTED : Outcome.COMMITTED;
  }

  /** What {@code gauss_txn_status} answers. */
  public enum Outcome {
    IN_PROGRESS,
    COMMITTED,
    ABORTED,
    UNKNOWN
  }

  private UndoSegment segment(long xid) {
    UndoSegment segment = slots.segment(xid);
    if (segment == null) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "a row names transaction " + Xid.toString(xid) + ", whose undo segment does not exist");
    }
    return segment;
  }

  private static long awaitCsn(CommitTable table, long sequence) {
    for (int spin = 0; ; spin++) {
      long entry = table.get(sequence);
      if (entry != PENDING) {
        return entry;
      }
      if (spin < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield(); // the committer may have lost its processor
      }
    }
  }
}
