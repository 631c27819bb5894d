package io.gauss.compute.txn;

import io.gauss.common.id.Xid;
import io.gauss.compute.txn.base.TransactionMetrics;
import io.gauss.compute.txn.undo.UndoSegment;
import io.gauss.compute.txn.undo.UndoSegments;
import io.gauss.compute.txn.undo.UndoSlots;
import io.gauss.compute.wait.WaitCause;

/**
 * Waits of transactions for the end of others: first come first served for each row ({@link
 * RowQueues}, which also describes the order among waiters of several nodes), with lock timeout and
 * deadlock detection.
 *
 * <p>Waiters queue by xid. The thread that ends a transaction sets its outcome, then reads the
 * segment's waiter count; a waiter queues and raises the count, then reads the outcome: so one of
 * the two sees the other, and a commit without waiters takes no lock.
 *
 * <p>The end of a transaction gives the turn to the first waiter of each row that is waited for.
 * The waiter keeps the turn, even while it has to wait for a transaction that came in between,
 * until it has written its row or does anything that shows that it will not; then the next waiter
 * of that row gets the turn. So the waiters for one row write it in the order in which they came,
 * and no waiter is delayed by another row's queue. Rows are distinguished by a hash of tree and
 * key: two rows with the same hash only share a queue. A turn that is not passed on (its holder
 * waits long) does not stop the others: they check the row themselves when their wait is checked
 * for deadlocks, and queue again for the transaction that wrote the row last. Newcomers that find a
 * row free may come in between.
 */
public final class LockWaits {
  private final XidStates states;
  private final UndoSlots slots;
  private final DeadlockDetector detector;
  private final TransactionMetrics metrics;
  private final RowQueues queues = new RowQueues();
  private RemoteRowWaits remote;

  LockWaits(
      XidStates states, UndoSlots slots, DeadlockDetector detector, TransactionMetrics metrics) {
    this.states = states;
    this.slots = slots;
    this.detector = detector;
    this.metrics = metrics;
  }

  /** Sets the waits at other nodes; before the first wait for a transaction of another node. */
  void remote(RemoteRowWaits waits) {
    this.remote = waits;
  }

  /**
   * Waits until {@code xid} has ended. Spurious returns are possible: the caller reads the row
   * again.
   *
   * @param row hash of the row that is wanted, see {@link #row}
   * @return false when the policy is not to wait and {@code xid} is active
   * @throws io.gauss.common.error.GaussException 40P01, 55P03 (lock_timeout), or what interrupted
   *     the context
   */
  public boolean await(Transaction txn, long xid, long row, WaitPolicy policy) {
    UndoSegments held = slots.of(xid);
    if (held == null) {
      return remote.await(txn, xid, row, policy);
    }
    UndoSegment segment = held.get(Xid.index(xid));
    txn.turns().waited(false);
    if (segment == null ? !states.isActive(held, xid) : !states.isActive(segment, xid)) {
      return true;
    }
    if (policy == WaitPolicy.NO_WAIT) {
      return false;
    }
    txn.turns().waited(true);
    txn.context().waits().beforeWait();
    LockWaiter waiter = txn.waiter();
    waiter.prepare();
    txn.turns().passUnless(row);
    RowQueues.Place place = queues.add(waiter, xid, row, true, txn.turns().passedBy());
    segment.addWaiter();
    long began = detector.nanos();
    boolean reached = false;
    try {
      waiter.await(new RowGoal(place, segment), detector);
      reached = true;
    } finally {
      segment.removeWaiter();
      if (reached && place.hasTurn()) {
        txn.turns().add(place);
      } else {
        place.leave();
      }
      long waited = detector.nanos() - began;
      metrics.rowWait(waited);
      txn.context().waits().waited(WaitCause.ROW, waited);
    }
    return true;
  }

  /**
   * Queues a waiter of another node, which then checks whether the transaction has ended. When it
   * leaves it is to be taken off the segment's count of waiters.
   *
   * @param segment of the transaction
   * @param passedBy how often others went before it, {@link RowQueues#NEW} when it has no turn yet
   */
  RowQueues.Place queue(Waiting waiter, UndoSegment segment, long xid, long row, int passedBy) {
    RowQueues.Place place = queues.add(waiter, xid, row, false, passedBy);
    segment.addWaiter();
    return place;
  }

  /** The transaction has ended, so waiters that queued afterwards are not woken. */
  void takeTurnIfNext(RowQueues.Place place) {
    queues.takeTurnIfNext(place);
  }

  /**
   * A transaction of this node that had the turn for a row has written it: transactions of this
   * node that wait for the row at another node should wait here instead.
   */
  void writtenHere(long row) {
    if (remote != null) {
      remote.writtenHere(row);
    }
  }

  /** The outcome of {@code xid} is set: wakes the first waiter of each of its rows. */
  void ended(UndoSegment segment, long xid) {
    if (segment.hasWaiters()) {
      queues.ended(xid);
    }
  }

  /** The identifier of a row's queue: the same for the same key of the same tree. */
  public static long row(int space, byte[] key, int offset, int length) {
    long hash = space;
    for (int i = offset; i < offset + length; i++) {
      hash = hash * 0x5851F42D4C957F2DL + key[i] + 1;
    }
    return hash;
  }

  /** A waiter in a queue. Called from any thread, under the queue's lock: must not block. */
  interface Waiting {
    /** It has the turn. */
    void turn();

    /** The transaction has ended, and another waiter has the turn. */
    default void ended() {}
  }

  /** The right to be next for a row, to be passed on. */
  interface Turn {
    long row();

    /** Gives up the place; if it has the turn, the next waiter for the same row gets it. */
    void leave();

    /** How often waiters of the row's node were preferred to it; valid once it has the turn. */
    int passedBy();
  }

  private final class RowGoal implements LockWaiter.Goal {
    private final RowQueues.Place place;
    private final long xid;
    private final UndoSegment segment;
    private boolean ended;
    private long endedSince;

    RowGoal(RowQueues.Place place, UndoSegment segment) {
      this.place = place;
      this.xid = place.xid();
      this.segment = segment;
    }

    @Override
    public boolean reached() {
      if (place.hasTurn()) {
        return true;
      }
      if (states.isActive(segment, xid)) {
        return false;
      }
      long now = detector.nanos();
      if (!ended) {
        ended = true;
        endedSince = now;
        // It may have ended before we queued, in which case no thread wakes us.
        return queues.takeTurnIfNext(place);
      }
      return now - endedSince >= detector.recheckNanos(); // the turn was not passed on
    }

    @Override
    public long[] holders() {
      long holder = segment.ownerWaitNumber();
      boolean still = segment.sequence() == Xid.sequence(xid) && states.isActive(segment, xid);
      return still && holder != 0 ? new long[] {holder} : new long[0];
    }

    @Override
    public String describe() {
      return "transaction " + Xid.toString(xid);
    }

    @Override
    public TransactionActivity.Wait activity(long nanos) {
      return new TransactionActivity.RowWait(xid, nanos);
    }
  }
}
