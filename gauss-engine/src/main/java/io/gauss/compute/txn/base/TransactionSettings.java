package io.gauss.compute.txn.base;

/**
 * Sizes and times of the transaction part.
 *
 * @param pinnedSegments undo segments up to this number keep their pages pinned while they are not
 *     in use; the free list is last-in first-out, so these are the ones in use nearly always
 * @param statusRetentionNanos time for which the outcome of a transaction can be asked for by xid
 * @param deadlockCheckNanos a wait older than this looks for a deadlock
 * @param keepUndoPages undo pages that a segment keeps once its history is short again
 * @param horizonIntervalNanos pause between two computations of the purge horizon
 * @param rollbackBeforeOpen undo records of one transaction that recovery undoes before the node
 *     opens; the rest follows in the background while the transaction still holds its rows
 * @param advisoryLocks that sessions of this node have or want at most
 */
public record TransactionSettings(
    int pinnedSegments,
    long statusRetentionNanos,
    long deadlockCheckNanos,
    int keepUndoPages,
    long horizonIntervalNanos,
    int rollbackBeforeOpen,
    int advisoryLocks) {

  public static final TransactionSettings DEFAULT =
      new TransactionSettings(64, 60_000_000_000L, 20_000_000L, 64, 10_000_000L, 10_000, 50_000);

  public TransactionSettings advisoryLocks(int most) {
    return new TransactionSettings(
        pinnedSegments,
        statusRetentionNanos,
        deadlockCheckNanos,
        keepUndoPages,
        horizonIntervalNanos,
        rollbackBeforeOpen,
        most);
  }
}
