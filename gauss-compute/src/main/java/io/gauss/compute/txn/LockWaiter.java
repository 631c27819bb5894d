package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.engine.EngineContext;
import java.util.concurrent.locks.LockSupport;

/**
 * A transaction's place in a queue: parks, and gets up when it is woken, when its time is over,
 * when it is interrupted or when a deadlock chose it. One for each transaction object, since a
 * transaction waits for one thing at a time.
 *
 * <p>{@link #wake} and {@link #chosen} come from other threads; everything else is the waiter's.
 */
final class LockWaiter {
  /**
   * What is waited for; asked again after every wake-up, and for its holders when the wait gets
   * long.
   */
  interface Goal {
    boolean reached();

    /** Wait numbers of those who have to end first; 0 entries are nobody. */
    long[] holders();

    /** For the detail of a deadlock report, such as "transaction 3.17". */
    String describe();

    /** For views, with the time that the wait has taken. */
    TransactionActivity.Wait activity(long nanos);
  }

  private final Transaction transaction;
  private volatile Thread thread;
  private volatile boolean woken;
  private volatile String deadlock;
  private volatile Goal goal;
  private volatile long since;

  LockWaiter(Transaction transaction) {
    this.transaction = transaction;
  }

  Transaction transaction() {
    return transaction;
  }

  /** Before it is queued. */
  void prepare() {
    woken = false;
    deadlock = null;
    thread = Thread.currentThread();
  }

  void wake() {
    woken = true;
    LockSupport.unpark(thread);
  }

  /** A cycle was found and this member is the one to give way. */
  void chosen(String detail) {
    deadlock = detail;
    LockSupport.unpark(thread);
  }

  /** What is waited for now, null when nothing is; any thread. */
  TransactionActivity.Wait activity(long now) {
    Goal waitedFor = goal;
    return waitedFor == null ? null : waitedFor.activity(Math.max(0, now - since));
  }

  /** Parks until the goal is reached. The waiter is queued where reaching the goal wakes it. */
  void await(Goal wanted, DeadlockDetector detector) {
    since = detector.nanos();
    goal = wanted;
    try {
      park(wanted, detector);
    } finally {
      goal = null;
    }
  }

  private void park(Goal wanted, DeadlockDetector detector) {
    EngineContext ctx = transaction.context();
    long began = since;
    long timeout = transaction.lockTimeoutNanos();
    long nextCheck = began + detector.checkNanos();
    boolean reported = false;
    ctx.waiter(Thread.currentThread());
    detector.began();
    try {
      while (!wanted.reached()) {
        ctx.checkInterrupt();
        if (deadlock != null) {
          throw new GaussException(SqlState.DEADLOCK_DETECTED, "deadlock detected")
              .detail(deadlock)
              .hint("See server log for query details.");
        }
        long now = detector.nanos();
        if (timeout > 0 && now - began >= timeout) {
          throw new GaussException(
              SqlState.LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout");
        }
        if (now - nextCheck >= 0) {
          reported = true;
          nextCheck = now + detector.recheckNanos();
          if (detector.check(this, wanted)) {
            continue;
          }
        }
        long pause = nextCheck - now;
        if (timeout > 0) {
          pause = Math.min(pause, timeout - (now - began));
        }
        if (!woken && deadlock == null) {
          LockSupport.parkNanos(this, Math.max(1, pause));
        }
        woken = false;
        if (Thread.interrupted()) {
          throw new GaussException(
              SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
        }
      }
    } finally {
      detector.ended();
      ctx.waiter(null);
      if (reported) {
        detector.done(this);
      }
    }
  }
}
