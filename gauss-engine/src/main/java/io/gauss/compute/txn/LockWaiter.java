package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.mtr.EngineContext;
import java.util.concurrent.locks.LockSupport;

/**
 * A transaction's place in a queue: parks, and continues when it is woken, when its timeout
 * expires, when it is interrupted or when it is the victim of a deadlock. One for each transaction
 * object, since a transaction waits for one thing at a time.
 *
 * <p>{@link #wake}, {@link #stands} and {@link #choose} come from other threads; everything else is
 * the waiter's.
 */
final class LockWaiter implements LockWaits.Waiting {
  /**
   * The goal of the wait; checked again after every wake-up, and asked for its holders when the
   * wait gets long.
   */
  interface Goal {
    boolean reached();

    /** Wait numbers of the transactions that have to end first; entries of 0 are ignored. */
    long[] holders();

    /**
     * Whether those that {@link #holders} told still have to end, as far as is known; any thread.
     * The waiter may not have noticed yet that they do not. Where one of them may stop being in the
     * way while the wait continues, {@link #holders} has to {@link LockWaiter#renew} the wait
     * before this holds again.
     */
    default boolean lasts() {
      return true;
    }

    /** Whether it waits for others, which lock_timeout limits. */
    default boolean isTimed() {
      return true;
    }

    /** For the detail of a deadlock report, such as "transaction 3.17". */
    String describe();

    /** For views, with the duration of the wait. */
    TransactionActivity.Wait activity(long nanos);
  }

  /** A wait that closes a cycle and whose transaction is the victim. */
  private record Chosen(long waitId, String detail) {}

  private final Transaction transaction;
  private volatile Thread thread;
  private volatile boolean woken;
  private volatile Chosen chosen;
  private volatile long standing; // number of the wait that continues, 0 = none
  private long waits;
  private volatile Goal goal;
  private volatile long since;

  // Of the last wait that nobody answered.
  private long unansweredXid;
  private long unansweredRow;
  private long unansweredSince;

  LockWaiter(Transaction transaction) {
    this.transaction = transaction;
  }

  Transaction transaction() {
    return transaction;
  }

  /** Before it is queued. */
  void prepare() {
    woken = false;
    chosen = null;
    thread = Thread.currentThread();
  }

  void wake() {
    woken = true;
    LockSupport.unpark(thread);
  }

  @Override
  public void turn() {
    wake();
  }

  /** Number of the wait that continues: none of this transaction object ever had it before. */
  long waitId() {
    return standing;
  }

  boolean stands(long wait) {
    Goal waitedFor = goal;
    // In this order: what lasts again has got another number before.
    return waitedFor != null && waitedFor.lasts() && standing == wait;
  }

  /**
   * The wait that continues counts as another one from now on: what was reported of it is not so
   * any more. The waiter's.
   */
  void renew() {
    standing = ++waits;
  }

  /**
   * A cycle was found and this member is the victim. No effect on a later wait.
   *
   * @return false when the wait is over
   */
  boolean choose(long wait, String detail) {
    if (standing != wait) {
      return false;
    }
    chosen = new Chosen(wait, detail);
    LockSupport.unpark(thread);
    return true;
  }

  /** The present wait, null when there is none; any thread. */
  TransactionActivity.Wait activity(long now) {
    Goal waitedFor = goal;
    return waitedFor == null ? null : waitedFor.activity(Math.max(0, now - since));
  }

  /**
   * The wait that is over was not answered. When the same is waited for again, that counts as one
   * wait, so that asking again does not put off the lock timeout.
   */
  void unanswered(long xid, long row) {
    unansweredXid = xid;
    unansweredRow = row;
    unansweredSince = since;
  }

  /** When the wait for the row of this transaction began that begins, or is begun again, now. */
  long began(long xid, long row, long now) {
    boolean isAgain = xid == unansweredXid && row == unansweredRow;
    unansweredXid = Xid.NONE;
    return isAgain ? unansweredSince : now;
  }

  /**
   * Parks until the goal is reached. The waiter is already in a queue from which it is woken then.
   */
  void await(Goal wanted, DeadlockDetector detector) {
    await(wanted, detector, detector.nanos());
  }

  /** As {@link #await(Goal, DeadlockDetector)}, with the time at which the wait began. */
  void await(Goal wanted, DeadlockDetector detector, long began) {
    since = began;
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
    long timeout = wanted.isTimed() ? transaction.lockTimeoutNanos() : 0;
    long nextCheck = began + detector.checkNanos();
    boolean reported = false;
    renew();
    ctx.interrupts().wakes(Thread.currentThread());
    detector.began();
    try {
      while (!wanted.reached()) {
        ctx.interrupts().check();
        if (isChosen()) {
          throw new GaussException(SqlState.DEADLOCK_DETECTED, "deadlock detected")
              .detail(chosen.detail)
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
          detector.check(this, wanted);
          if (isChosen()) {
            continue;
          }
        }
        long pause = nextCheck - now;
        if (timeout > 0) {
          pause = Math.min(pause, timeout - (now - began));
        }
        if (!woken && !isChosen()) {
          Environment.parkNanos(this, Math.max(1, pause));
        }
        woken = false;
        if (Thread.interrupted()) {
          throw new GaussException(
              SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
        }
      }
    } finally {
      detector.ended();
      ctx.interrupts().wakes(null);
      long wait = standing;
      standing = 0;
      if (reported) {
        detector.done(this, wait);
      }
    }
  }

  private boolean isChosen() {
    Chosen victim = chosen;
    return victim != null && victim.waitId == standing;
  }
}
