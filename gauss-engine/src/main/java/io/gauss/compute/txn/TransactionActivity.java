package io.gauss.compute.txn;

import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
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

  /** An advisory lock that a session has, of itself or of its transaction. */
  public record HeldAdvisory(LockName name, LockMode mode) {}

  /** A lock that is not granted yet. */
  public sealed interface Wait {
    /** For how long. */
    long nanos();
  }

  /**
   * The lock of a row, which is waited for by waiting for the transaction that wrote it.
   *
   * @param xid of that transaction
   */
  public record RowWait(long xid, long nanos) implements Wait {}

  /** The lock of a table. */
  public record TableWait(int tableOid, TableLockMode mode, long nanos) implements Wait {}

  /** An advisory lock. */
  public record AdvisoryWait(LockName name, LockMode mode, long nanos) implements Wait {}
}
