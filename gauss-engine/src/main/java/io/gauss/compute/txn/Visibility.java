package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.txn.undo.PurgeHorizon;

/**
 * Decides whether a snapshot sees a transaction's writes. The order of the checks is that of their
 * costs, and of the protocol: below the horizon; its own; this node's table; what is known of other
 * nodes' transactions.
 */
public final class Visibility {
  /** The snapshot does not see it. */
  public static final int UNSEEN = 0;

  public static final int SEEN = 1;

  /** Another node has to be asked: see {@link RemoteXids}. */
  public static final int UNRESOLVED = 2;

  private final int slot;
  private final XidStates states;
  private final PurgeHorizon horizon;
  private final LogBuffer log;

  Visibility(int slot, XidStates states, PurgeHorizon horizon, LogBuffer log) {
    this.slot = slot;
    this.states = states;
    this.horizon = horizon;
    this.log = log;
  }

  /**
   * {@link #SEEN} when {@code xid} committed at or below the snapshot, or is the reader itself and
   * wrote this version before the statement began, else {@link #UNSEEN}; or {@link #UNRESOLVED}.
   * Remembers the commit in the transaction when it may not be confirmed yet ({@link
   * Transaction#mustBeVisible()}). Never parks, so it is legal under a latch.
   *
   * @param txn the reader
   * @param undoLsn LSN of the version's undo pointer, which shows when it was written
   * @throws GaussException 72000 when the outcome is no longer known and the snapshot is too old to
   *     do without (rule 24)
   */
  public int judge(Transaction txn, Snapshot snapshot, long xid, long undoLsn) {
    if (horizon.passed(xid)) {
      return SEEN;
    }
    if (xid == txn.xid()) {
      return undoLsn <= snapshot.ownLsn() ? SEEN : UNSEEN;
    }
    long status = states.status(txn, snapshot.lsn(), xid);
    if (status == XidStates.OVERWRITTEN) {
      long overwritten = states.overwrittenCsn(xid);
      if (overwritten == XidStates.UNRESOLVED) {
        return UNRESOLVED; // the segment was given up in between
      }
      requireOverwrittenVisible(snapshot.lsn(), overwritten, xid);
      return SEEN;
    }
    if (status == XidStates.UNRESOLVED) {
      return UNRESOLVED;
    }
    return seesCommit(txn, snapshot.lsn(), xid, status) ? SEEN : UNSEEN;
  }

  /**
   * The reader acts on a version that its snapshot need not see: on a key that is taken, or on a
   * row that has been changed or is gone. If that commit may not be confirmed yet, the answer waits
   * for it as it does for what a snapshot sees. Never parks.
   *
   * @param xid the version's writer, which has ended
   */
  public void actOn(Transaction txn, long xid) {
    if (xid == txn.xid() || Xid.slot(xid) != slot || horizon.passed(xid)) {
      return; // other nodes report commits only once they are visible
    }
    long status = states.status(txn, txn.snapshot().lsn(), xid);
    if (isCsn(status) && status > log.visibleLsn()) {
      txn.sawInvisible(status);
    }
  }

  /**
   * As {@link #actOn}, of a row that an active transaction has merely locked. Who wrote the row is
   * not looked up: that commit is before the lock in the log.
   *
   * @param xid the transaction that holds the lock
   * @param undoLsn LSN of the lock's undo record
   */
  public void actOnLocked(Transaction txn, long xid, long undoLsn) {
    if (xid != txn.xid() && Xid.slot(xid) == slot && undoLsn > log.visibleLsn()) {
      txn.sawInvisible(undoLsn);
    }
  }

  private static boolean isCsn(long status) {
    return status != XidStates.ACTIVE
        && status != XidStates.ABORTED
        && status != XidStates.ANCIENT
        && status != XidStates.OVERWRITTEN
        && status != XidStates.UNRESOLVED;
  }

  private boolean seesCommit(Transaction txn, long snapshot, long xid, long status) {
    if (status == XidStates.ACTIVE || status == XidStates.ABORTED) {
      return false;
    }
    if (status == XidStates.ANCIENT) {
      return true;
    }
    if (status > snapshot) {
      return false;
    }
    // Known commits of other slots are visible: their nodes report them only then, or are dead and
    // recovered.
    if (status > log.visibleLsn() && Xid.slot(xid) == slot) {
      txn.sawInvisible(status);
    }
    return true;
  }

  static void requireOverwrittenVisible(long snapshot, long overwrittenCsn, long xid) {
    if (!overwrittenIsVisible(snapshot, overwrittenCsn)) {
      throw new GaussException(SqlState.SNAPSHOT_TOO_OLD, "snapshot too old")
          .detail("The outcome of transaction " + Xid.toString(xid) + " is no longer kept.");
    }
  }

  /**
   * Rule 24: overwritten transactions committed at or below this CSN, so a snapshot at or above it
   * sees all of it.
   */
  static boolean overwrittenIsVisible(long snapshot, long overwrittenCsn) {
    return snapshot >= overwrittenCsn;
  }
}
