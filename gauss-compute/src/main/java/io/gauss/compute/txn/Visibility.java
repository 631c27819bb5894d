package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.compute.log.LogBuffer;

/**
 * Whether a snapshot sees what a transaction wrote. The order of the questions is the order of
 * their costs, and of the protocol: below the horizon; own; own node's table.
 */
public final class Visibility {
  private final XidStates states;
  private final PurgeHorizon horizon;
  private final LogBuffer log;

  Visibility(XidStates states, PurgeHorizon horizon, LogBuffer log) {
    this.states = states;
    this.horizon = horizon;
    this.log = log;
  }

  /**
   * True when {@code xid} committed at or below the snapshot, or is the own transaction and wrote
   * this version before the statement began. Remembers the commit in the transaction when it may
   * not be told yet ({@link Transaction#mustBeVisible()}). Never parks, so it is legal under a
   * latch.
   *
   * @param txn the reader
   * @param undoLsn LSN of the version's undo pointer, which tells when it was written
   * @throws GaussException 72000 when the outcome is no longer known and the snapshot is too old to
   *     do without (rule 24)
   */
  public boolean visible(Transaction txn, Snapshot snapshot, long xid, long undoLsn) {
    if (horizon.passed(xid)) {
      return true;
    }
    if (xid == txn.xid()) {
      return undoLsn <= snapshot.ownLsn();
    }
    return seesCommit(txn, snapshot.lsn(), xid, states.status(xid));
  }

  private boolean seesCommit(Transaction txn, long snapshot, long xid, long status) {
    if (status == XidStates.ACTIVE || status == XidStates.ABORTED) {
      return false;
    }
    if (status == XidStates.ANCIENT) {
      return true;
    }
    if (status == XidStates.OVERWRITTEN) {
      if (overwrittenIsVisible(snapshot, states.overwrittenCsn(xid))) {
        return true;
      }
      throw new GaussException(SqlState.SNAPSHOT_TOO_OLD, "snapshot too old")
          .detail("The outcome of transaction " + Xid.toString(xid) + " is no longer kept.");
    }
    if (status > snapshot) {
      return false;
    }
    if (status > log.visibleLsn()) {
      txn.sawInvisible(status);
    }
    return true;
  }

  /**
   * Rule 24: what was overwritten committed at or below this CSN, so a snapshot at or above it sees
   * all of it.
   */
  static boolean overwrittenIsVisible(long snapshot, long overwrittenCsn) {
    return snapshot >= overwrittenCsn;
  }
}
