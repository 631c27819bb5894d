package io.gauss.compute.txn;

import io.gauss.common.id.Xid;
import io.gauss.compute.store.WaitPolicy;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits of transactions for the end of others: first come first woken for each xid, with lock
 * time-out and deadlock detection.
 *
 * <p>Waiters queue in stripes by xid. Whoever ends a transaction sets its outcome, then looks at
 * the segment's waiter count; a waiter raises the count, then looks at the outcome: so one of the
 * two sees the other, and a commit that nobody waits for takes no lock.
 *
 * <p>The end of a transaction wakes the first waiter alone, and gives it the turn. It passes the
 * turn on to the next one when it has written its row, or when it does anything that shows that it
 * will not. So waiters for one row reach it in the order in which they came and queue again behind
 * the first of them, while waiters for different rows are held up only for as long as one row
 * takes. A turn that is not passed on (a long scan) does not stop the others: they look by
 * themselves when their wait is checked for deadlocks. Newcomers may come in between.
 */
public final class LockWaits {
  private static final int STRIPES = 64;

  private final XidStates states;
  private final UndoSegments segments;
  private final DeadlockDetector detector;
  private final TransactionMetrics metrics;
  private final Stripe[] stripes = new Stripe[STRIPES];

  LockWaits(
      XidStates states,
      UndoSegments segments,
      DeadlockDetector detector,
      TransactionMetrics metrics) {
    this.states = states;
    this.segments = segments;
    this.detector = detector;
    this.metrics = metrics;
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  /**
   * Waits until {@code xid} has ended. Spurious returns are possible: the caller reads the row
   * again.
   *
   * @return false when the policy is not to wait and {@code xid} is active
   * @throws io.gauss.common.error.GaussException 40P01, 55P03 (lock_timeout), or what interrupted
   *     the context
   */
  public boolean await(Transaction txn, long xid, WaitPolicy policy) {
    if (!states.isActive(xid)) {
      return true;
    }
    if (policy == WaitPolicy.NO_WAIT) {
      return false;
    }
    txn.context().beforeWait();
    UndoSegment segment = segments.get(Xid.segment(xid));
    Stripe stripe = stripe(xid);
    LockWaiter waiter = txn.waiter();
    waiter.prepare();
    waiter.xid = xid;
    segment.addWaiter();
    stripe.add(waiter);
    txn.passTurn(); // behind us in the new queue too, so that the order stays
    long began = detector.nanos();
    boolean reached = false;
    try {
      waiter.await(new RowGoal(xid, segment, waiter), detector);
      reached = true;
    } finally {
      boolean hasTurn = stripe.remove(waiter);
      segment.removeWaiter();
      if (hasTurn) {
        if (reached) {
          txn.gotTurn(xid);
        } else {
          passTurn(xid);
        }
      }
      metrics.rowWait(detector.nanos() - began);
    }
    return true;
  }

  /** The next waiter of an xid that has ended gets the turn. */
  void passTurn(long xid) {
    stripe(xid).wakeFirst(xid);
  }

  /** The outcome of {@code xid} is set: wakes who waits for it longest. */
  void ended(UndoSegment segment, long xid) {
    if (segment.hasWaiters()) {
      stripe(xid).wakeFirst(xid);
    }
  }

  private Stripe stripe(long xid) {
    return stripes[(int) (xid ^ xid >>> Xid.SEQUENCE_BITS) & (STRIPES - 1)];
  }

  private final class RowGoal implements LockWaiter.Goal {
    private final long xid;
    private final UndoSegment segment;
    private final LockWaiter waiter;
    private boolean asked;
    private boolean ended;
    private long endedSince;

    RowGoal(long xid, UndoSegment segment, LockWaiter waiter) {
      this.xid = xid;
      this.segment = segment;
      this.waiter = waiter;
    }

    @Override
    public boolean reached() {
      if (waiter.turn) {
        return true;
      }
      boolean first = !asked;
      asked = true;
      if (states.isActive(xid)) {
        return false;
      }
      if (first) {
        return true; // it ended before anybody could wake us
      }
      long now = detector.nanos();
      if (!ended) {
        ended = true;
        endedSince = now;
      }
      return now - endedSince >= detector.recheckNanos(); // the turn got stuck somewhere
    }

    @Override
    public long[] holders() {
      long holder = segment.ownerWaitNumber();
      boolean still = segment.sequence() == Xid.sequence(xid) && states.isActive(xid);
      return still && holder != 0 ? new long[] {holder} : new long[0];
    }

    @Override
    public String describe() {
      return "transaction " + Xid.toString(xid);
    }
  }

  /** A queue of waiters, oldest first. */
  private static final class Stripe {
    private final ReentrantLock lock = new ReentrantLock();
    private LockWaiter first;

    void add(LockWaiter waiter) {
      lock.lock();
      try {
        waiter.next = null;
        waiter.turn = false;
        if (first == null) {
          first = waiter;
          return;
        }
        LockWaiter last = first;
        while (last.next != null) {
          last = last.next;
        }
        last.next = waiter;
      } finally {
        lock.unlock();
      }
    }

    /** True when the waiter had got the turn. */
    boolean remove(LockWaiter waiter) {
      lock.lock();
      try {
        if (first == waiter) {
          first = waiter.next;
        } else {
          for (LockWaiter at = first; at != null; at = at.next) {
            if (at.next == waiter) {
              at.next = waiter.next;
              break;
            }
          }
        }
        waiter.next = null;
        return waiter.turn;
      } finally {
        lock.unlock();
      }
    }

    void wakeFirst(long xid) {
      lock.lock();
      try {
        for (LockWaiter at = first; at != null; at = at.next) {
          if (at.xid == xid && !at.turn) {
            at.turn = true;
            at.wake();
            return;
          }
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
