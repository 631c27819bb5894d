package io.gauss.compute.txn;

import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.base.TransactionMetrics;
import io.gauss.compute.wait.WaitCause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The table locks that a transaction holds until its end. Written by the transaction; others may
 * read it to find out which transactions a strong request waits for, and may see a slightly old
 * state.
 */
final class HeldTableLocks {
  private final Transaction transaction;
  private TableLock[] locks = new TableLock[8];
  private TableLockMode[] modes = new TableLockMode[8];
  private volatile int count;

  HeldTableLocks(Transaction transaction) {
    this.transaction = transaction;
  }

  /** Takes the lock unless the transaction has one that covers it. May wait. */
  void lock(
      TableLock lock, TableLockMode mode, DeadlockDetector detector, TransactionMetrics metrics) {
    boolean holdsOther = false;
    for (int i = 0; i < count; i++) {
      if (locks[i] == lock) {
        if (modes[i].covers(mode)) {
          return;
        }
        holdsOther = true;
      }
    }
    if (!mode.isWeak() || !lock.tryWeak(transaction.stripe(), mode)) {
      await(lock, mode, holdsOther, detector, metrics);
    }
    add(lock, mode);
  }

  private void await(
      TableLock lock,
      TableLockMode mode,
      boolean holdsOther,
      DeadlockDetector detector,
      TransactionMetrics metrics) {
    LockWaiter waiter = transaction.waiter();
    waiter.prepare();
    TableLock.Request request = lock.request(transaction, mode, holdsOther);
    long began = detector.nanos();
    boolean waited = false;
    boolean granted = false;
    try {
      if (!request.reached()) {
        waited = true;
        EngineContext ctx = transaction.context();
        ctx.waits().beforeWait();
        waiter.await(request, detector);
      }
      granted = true;
    } finally {
      if (!granted) {
        lock.withdraw(request);
      }
      if (waited) {
        long nanos = detector.nanos() - began;
        metrics.tableWait(nanos);
        transaction.context().waits().waited(WaitCause.TABLE, nanos);
      }
    }
  }

  private void add(TableLock lock, TableLockMode mode) {
    int at = count;
    if (at == locks.length) {
      locks = Arrays.copyOf(locks, at * 2);
      modes = Arrays.copyOf(modes, at * 2);
    }
    locks[at] = lock;
    modes[at] = mode;
    count = at + 1;
  }

  boolean holds(TableLock lock, TableLockMode mode) {
    for (int i = 0; i < count; i++) {
      if (locks[i] == lock && modes[i] == mode) {
        return true;
      }
    }
    return false;
  }

  /**
   * From any thread: adds the transaction's wait number when it holds a weak mode that conflicts.
   */
  void addIfHolder(TableLock lock, TableLockMode wanted, List<Long> holders) {
    long number = transaction.waitNumber();
    int visible = count;
    TableLock[] theirLocks = locks;
    TableLockMode[] theirModes = modes;
    for (int i = 0; i < visible && i < theirLocks.length && i < theirModes.length; i++) {
      TableLockMode mode = theirModes[i];
      if (theirLocks[i] == lock && mode != null && mode.conflictsWith(wanted)) {
        holders.add(number);
        return;
      }
    }
  }

  /** From any thread: the locks held, as of a moment ago. */
  List<TransactionActivity.HeldLock> activity() {
    int visible = count;
    TableLock[] theirLocks = locks;
    TableLockMode[] theirModes = modes;
    List<TransactionActivity.HeldLock> held = new ArrayList<>(visible);
    for (int i = 0; i < visible && i < theirLocks.length && i < theirModes.length; i++) {
      TableLock lock = theirLocks[i];
      TableLockMode mode = theirModes[i];
      if (lock != null && mode != null) {
        held.add(new TransactionActivity.HeldLock(lock.table(), mode));
      }
    }
    return held;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /**
   * @param csn of the transaction's commit, or of the last one that it has seen; 0 = none that is
   *     invisible
   */
  void releaseAll(long csn) {
    int held = count;
    if (held == 0) {
      return;
    }
    count = 0;
    for (int i = 0; i < held; i++) {
      TableLock lock = locks[i];
      TableLockMode mode = modes[i];
      locks[i] = null;
      if (mode.isWeak()) {
        lock.releaseWeak(transaction.stripe(), mode);
      } else {
        lock.releaseStrong(transaction, mode, csn);
      }
    }
  }
}
