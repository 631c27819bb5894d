package io.gauss.compute.txn;

import io.gauss.common.deadlock.WaitNumber;
import io.gauss.compute.txn.base.TransactionMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's part in finding deadlocks, among waits for rows, tables and advisory locks alike.
 * Only the waiters run it: a wait older than the check time is reported to the {@link
 * DeadlockService}, and again from time to time, since holders of a table lock may change and the
 * detector may have moved to another node.
 *
 * <p>Every member of a cycle reports after the same time and stays reported while it waits, so with
 * the last report the cycle is complete: a deadlock is resolved one check time after it closed,
 * plus a round of messages when its members are on several nodes. Shorter waits never get here.
 */
final class DeadlockDetector implements WaitMembers {
  private static final Logger LOG = LoggerFactory.getLogger(DeadlockDetector.class);
  private static final long RECHECKS = 5;

  private final Map<Long, LockWaiter> reported = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final long checkNanos;
  private final LongSupplier nanoClock;
  private final TransactionMetrics metrics;
  private volatile DeadlockService service;
  private volatile NodeLocks leases; // null on a single node

  DeadlockDetector(long checkNanos, LongSupplier nanoClock, TransactionMetrics metrics) {
    this.checkNanos = checkNanos;
    this.nanoClock = nanoClock;
    this.metrics = metrics;
  }

  /** Sets where to report to; before the first wait. */
  void service(DeadlockService detector) {
    this.service = detector;
  }

  /** Sets who knows the locks that other nodes want; before the first wait. */
  void leases(NodeLocks locks) {
    leases = locks;
  }

  DeadlockService service() {
    return service;
  }

  /** Waits in progress now, reported or not. */
  int waiting() {
    return waiting.get();
  }

  void began() {
    waiting.incrementAndGet();
  }

  void ended() {
    waiting.decrementAndGet();
  }

  long nanos() {
    return nanoClock.getAsLong();
  }

  long checkNanos() {
    return checkNanos;
  }

  /**
   * Pause between checks of a wait that continues: holders of a table lock may have changed
   * meanwhile.
   */
  long recheckNanos() {
    return checkNanos * RECHECKS;
  }

  /** Reports the waiter's edges. The waiter, or another one, may be chosen before this returns. */
  void check(LockWaiter waiter, LockWaiter.Goal goal) {
    Transaction transaction = waiter.transaction();
    long[] holders = goal.holders();
    reported.put(transaction.waitNumber(), waiter);
    service.report(
        transaction.waitNumber(),
        waiter.waitId(),
        transaction.beginLsn(),
        holders,
        transaction.describe(),
        goal.describe());
  }

  /** A wait that was reported is over. */
  void done(LockWaiter waiter, long wait) {
    long id = waiter.transaction().waitNumber();
    reported.remove(id);
    service.over(id, wait);
  }

  @Override
  public boolean stands(long waiter, long wait) {
    if (WaitNumber.isAdvisory(waiter)) {
      NodeLocks node = leases;
      return node != null && node.stands(waiter, wait);
    }
    if (WaitNumber.isLock(waiter)) {
      // Of its neighbours in the cycle, one waits for the lock's mode and the other holds a mode
      // that excludes it; while their waits stand, this one does: see NodeLocks.
      return true;
    }
    LockWaiter one = reported.get(waiter);
    return one != null && one.stands(wait);
  }

  @Override
  public void choose(long waiter, long wait, String detail) {
    LockWaiter one = reported.get(waiter);
    if (one != null && one.choose(wait, detail)) {
      LOG.info("deadlock: {} Chosen: {}", detail, one.transaction().describe());
      metrics.deadlock();
    }
  }
}
