package io.gauss.compute.txn;

import java.util.List;

/**
 * A transaction's activity, as another thread sees it: collected without locks, so some parts may
 * be slightly older than others.
 *
 * @param xid 0 while it has written nothing
 * @param snapshotLsn clock value of its snapshot, 0 = it has none open
 * @param locks table locks that it holds
 * @param waiting its wait, null = none
 */
public record TransactionActivity(
    long xid,
    Transaction.IsolationLevel isolation,
    long snapshotLsn,
    List<HeldLock> locks,
    Wait waiting) {

  /** A table lock that is granted. */
  public record HeldLock(int tableOid, TableLockMode mode) {}

  /**
   * A lock that is not granted yet: of a table, or of a row; to wait for a row is to wait for the
   * transaction that wrote it.
   *
   * @param tableOid 0 when a row is waited for
   * @param mode null when a row is waited for
   * @param xid of the transaction whose end is waited for; 0 when a table is waited for
   * @param nanos duration of the wait
   */
  public record Wait(int tableOid, TableLockMode mode, long xid, long nanos) {
    public boolean isForRow() {
      return xid != 0;
    }
  }
}
