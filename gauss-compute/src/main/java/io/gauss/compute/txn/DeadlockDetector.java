package io.gauss.compute.txn;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds deadlocks among waits for rows and for tables alike. Nobody but the waiters runs it: a wait
 * that gets older than the check time reports its edges and looks for a cycle through itself.
 *
 * <p>Every member of a cycle reports after the same time and stays reported while it waits, so the
 * one that reports last finds the cycle whole: a deadlock is resolved one check time after it
 * closed. Waits shorter than that never get here.
 */
final class DeadlockDetector {
  private static final Logger LOG = LoggerFactory.getLogger(DeadlockDetector.class);
  private static final long RECHECKS = 5;

  private final ReentrantLock lock = new ReentrantLock();
  private final WaitGraph graph = new WaitGraph();
  private final Map<Long, LockWaiter> waiters = new HashMap<>();
  private final Map<Long, String> goals = new HashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final long checkNanos;
  private final LongSupplier nanoClock;
  private final TransactionMetrics metrics;

  DeadlockDetector(long checkNanos, LongSupplier nanoClock, TransactionMetrics metrics) {
    this.checkNanos = checkNanos;
    this.nanoClock = nanoClock;
    this.metrics = metrics;
  }

  /** Waits going on now, reported or not. */
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
   * Pause between checks of a wait that goes on: holders of a table lock may have changed
   * meanwhile.
   */
  long recheckNanos() {
    return checkNanos * RECHECKS;
  }

  /**
   * Reports the waiter's edges and resolves a cycle through it by choosing the youngest member.
   *
   * @return true when the waiter itself was chosen
   */
  boolean check(LockWaiter waiter, LockWaiter.Goal goal) {
    long[] holders = goal.holders();
    Transaction transaction = waiter.transaction();
    long id = transaction.waitNumber();
    lock.lock();
    try {
      graph.set(id, transaction.beginLsn(), holders);
      waiters.put(id, waiter);
      goals.put(id, goal.describe());
      long[] cycle = graph.cycleThrough(id);
      if (cycle.length == 0) {
        return false;
      }
      long victim = graph.youngest(cycle);
      String detail = describe(cycle);
      LOG.info("deadlock: {} Chosen: {}", detail, waiters.get(victim).transaction().describe());
      metrics.deadlock();
      waiters.get(victim).chosen(detail);
      graph.remove(victim); // it will end, so no other cycle counts through it
      return victim == id;
    } finally {
      lock.unlock();
    }
  }

  /** The wait is over. */
  void done(LockWaiter waiter) {
    long id = waiter.transaction().waitNumber();
    lock.lock();
    try {
      graph.remove(id);
      waiters.remove(id);
      goals.remove(id);
    } finally {
      lock.unlock();
    }
  }

  private String describe(long[] cycle) {
    StringBuilder text = new StringBuilder();
    for (long member : cycle) {
      String name = waiters.get(member).transaction().describe();
      text.append(text.isEmpty() ? "" : " ")
          .append(Character.toUpperCase(name.charAt(0)))
          .append(name, 1, name.length())
          .append(" waits for ")
          .append(goals.get(member))
          .append('.');
    }
    return text.toString();
  }
}
