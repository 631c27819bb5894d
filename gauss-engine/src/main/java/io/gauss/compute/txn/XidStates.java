package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.compute.txn.undo.CommitTable;
import io.gauss.compute.txn.undo.PurgeHorizon;
import io.gauss.compute.txn.undo.UndoSegment;
import io.gauss.compute.txn.undo.UndoSegments;
import io.gauss.compute.txn.undo.UndoSlots;

/**
 * The outcome of a transaction, by xid. Lock-free look-ups from any thread: one load when it is
 * below the purge horizon, three otherwise.
 *
 * <p>An outcome is final for a thread that read the xid on a page whose latch it still holds, or
 * under an open snapshot: a transaction that rolls back ends only after it has put back every
 * record, and its end is below the horizon only when all earlier snapshots are closed.
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

  /** Another node holds its segment and has to be asked: see {@link RemoteXids}. */
  public static final long UNRESOLVED = 5;

  private static final int SPINS = 200;

  private final UndoSlots slots;
  private final PurgeHorizon horizon;
  private final RemoteXids remote;

  XidStates(UndoSlots slots, PurgeHorizon horizon, RemoteXids remote) {
    this.slots = slots;
    this.horizon = horizon;
    this.remote = remote;
  }

  /**
   * The state by which a transaction's snapshot has to judge it: {@link #ACTIVE}, {@link #ABORTED}
   * (rolled back to the end), {@link #ANCIENT}, {@link #OVERWRITTEN} or the CSN; {@link
   * #UNRESOLVED} when another node has to be asked first. For a transaction between "committing"
   * and its CSN this waits, which takes as long as one log reservation (rule 2).
   */
  long status(Transaction txn, long snapshot, long xid) {
    if (horizon.passed(xid)) {
      return ANCIENT;
    }
    UndoSegments held = slots.of(xid);
    return held == null ? remote.status(txn, snapshot, xid) : entry(held, xid);
  }

  /** The same for a transaction in segments that the caller found, whichever node has them now. */
  long status(UndoSegments held, long xid) {
    return horizon.passed(xid) ? ANCIENT : entry(held, xid);
  }

  private static long entry(UndoSegments held, long xid) {
    long sequence = Xid.sequence(xid);
    CommitTable table = segment(held, xid).table;
    long entry = table.get(sequence);
    if (entry == PENDING) {
      entry = awaitCsn(table, sequence);
    }
    return entry < 0 ? ABORTED : entry;
  }

  /** For a transaction in segments that the caller found. */
  boolean isActive(UndoSegments held, long xid) {
    return status(held, xid) == ACTIVE;
  }

  /** The same for a segment that the caller has, whichever node holds it by now. */
  boolean isActive(UndoSegment segment, long xid) {
    if (horizon.passed(xid)) {
      return false;
    }
    long sequence = Xid.sequence(xid);
    long entry = segment.table.get(sequence);
    return (entry == PENDING ? awaitCsn(segment.table, sequence) : entry) == ACTIVE;
  }

  /**
   * False when it has ended; true when it is active, or when that is not known here: {@link
   * LockWaits#await} makes sure.
   *
   * @param txn the asking transaction
   */
  public boolean mayBeActive(Transaction txn, long xid) {
    if (horizon.passed(xid)) {
      return false;
    }
    UndoSegments held = slots.of(xid);
    return held == null ? remote.mayBeActive(txn, xid) : entry(held, xid) == ACTIVE;
  }

  /** Whether nothing is known about it that is valid for the transaction's snapshot. */
  public boolean isUnresolved(Transaction txn, long xid) {
    return slots.of(xid) == null && status(txn, txn.snapshot().lsn(), xid) == UNRESOLVED;
  }

  /**
   * Highest CSN that the segment of {@code xid} has overwritten in its table; {@link #UNRESOLVED}
   * when another node holds the segment by now.
   */
  long overwrittenCsn(long xid) {
    UndoSegments held = slots.of(xid);
    return held == null ? UNRESOLVED : segment(held, xid).table.overwrittenCsn();
  }

  /**
   * The final outcome for {@code gauss_txn_status}: IN_PROGRESS, COMMITTED, ABORTED or UNKNOWN when
   * the entry was reused. A sequence that was never used, or whose traces were lost in a crash, is
   * aborted for good: it will never be used again. Nothing is known of sequences with which the
   * slot's node begins when it comes back.
   *
   * @param held the segments of its slot
   */
  static Outcome outcome(UndoSegments held, long xid) {
    UndoSegment segment = held.get(Xid.index(xid));
    if (segment == null) {
      return Outcome.UNKNOWN;
    }
    long sequence = Xid.sequence(xid);
    long lost = Math.min(segment.base(), segment.nextLife());
    if (sequence > segment.recoveredNewest() && sequence < lost) {
      return Outcome.ABORTED; // from before the last restart, without a trace
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

  /** The results of {@code gauss_txn_status}. */
  public enum Outcome {
    IN_PROGRESS,
    COMMITTED,
    ABORTED,
    UNKNOWN
  }

  private static UndoSegment segment(UndoSegments held, long xid) {
    UndoSegment segment = held.get(Xid.index(xid));
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
        Thread.yield(); // the committer may have been descheduled
      }
    }
  }
}
