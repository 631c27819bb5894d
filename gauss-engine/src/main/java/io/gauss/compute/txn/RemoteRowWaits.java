package io.gauss.compute.txn;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Xid;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.peer.TransportPeers;
import io.gauss.compute.txn.base.TransactionMetrics;
import io.gauss.compute.txn.undo.UndoSlots;
import io.gauss.compute.txn.wire.RowState;
import io.gauss.compute.txn.wire.RowWaitLayout;
import io.gauss.compute.txn.wire.TransactionMessages;
import io.gauss.compute.wait.WaitCause;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Waits of this node's transactions for rows that transactions of other nodes wrote. A wait queues
 * at the node that holds the segment, together with that node's own, and is notified when its turn
 * comes: see {@link RowWaitService} for the other side, and {@link LockWaits} for the meaning of a
 * turn.
 *
 * <p>When that node is lost, or another one takes over its segments, the wait returns as if it were
 * over; the caller reads the row again and asks the node that answers then. Thread-safe.
 */
final class RemoteRowWaits implements PeerListener {
  /**
   * The state of a wait.
   *
   * @param said the other node's last message, null = none yet
   * @param isHere the row was written here meanwhile, which overrides the message
   */
  private record Stand(RowState said, boolean isHere) {
    private static final Stand BEGUN = new Stand(null, false);
    private static final Stand HERE = new Stand(null, true);
  }

  /**
   * How long a question may stay without any answer. Its message, or the other node's knowledge of
   * this node, may be lost without either node being lost; then the row is read again. For the same
   * reason a node that has answered "wait" is asked again after this time: if it has forgotten the
   * wait it queues it again, otherwise it repeats its answer.
   */
  private static final long UNANSWERED_NANOS = 3_000_000_000L;

  private final LamportClock clock;
  private final UndoSlots slots;
  private final RemoteXids remote;
  private final DeadlockDetector detector;
  private final TransactionMetrics metrics;
  private final PeerNodes peers;
  private final Map<Long, Wait> waits = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();

  RemoteRowWaits(
      LamportClock clock,
      UndoSlots slots,
      RemoteXids remote,
      DeadlockDetector detector,
      TransactionMetrics metrics,
      PeerNodes peers) {
    this.clock = clock;
    this.slots = slots;
    this.remote = remote;
    this.detector = detector;
    this.metrics = metrics;
    this.peers = peers;
    peers.addListener(this);
  }

  void register(TransportPeers receiving) {
    receiving.on(TransactionMessages.ROW_STATE, this::told);
  }

  /** As {@link LockWaits#await}, for a transaction whose segment another node holds. */
  boolean await(Transaction txn, long xid, long row, WaitPolicy policy) {
    txn.turns().waited(false);
    if (!remote.mayBeActive(txn, xid)) {
      return true;
    }
    if (policy == WaitPolicy.NO_WAIT) {
      remote.resolve(txn, clock.now(), xid);
      return !remote.mayBeActive(txn, xid);
    }
    EngineContext ctx = txn.context();
    ctx.waits().beforeWait();
    LockWaiter waiter = txn.waiter();
    waiter.prepare();
    txn.turns().passUnless(row);
    Wait wait = new Wait(numbers.incrementAndGet(), waiter, xid, row, txn.turns().passedBy());
    long began = detector.nanos();
    boolean reached = false;
    try {
      wait.begin();
      waiter.await(wait, detector, waiter.began(xid, row, began));
      reached = true;
    } finally {
      if (reached && wait.stand.said() instanceof RowState.Turn) {
        txn.turns().add(wait);
      } else {
        wait.leave();
        if (reached && wait.stand.said() instanceof RowState.Ended) {
          txn.turns().waitedLong(row);
        }
      }
      long waited = detector.nanos() - began;
      metrics.rowWait(waited);
      ctx.waits().waited(WaitCause.ROW, waited);
    }
    wait.learn(txn);
    txn.turns().waited(wait.metWriter);
    if (wait.wasUnanswered) {
      waiter.unanswered(xid, row);
    }
    if (wait.stand.said() instanceof RowState.Again) {
      // Waits until a node answers, or reports why the outcome cannot be known.
      remote.resolve(txn, clock.now(), xid);
    }
    return true;
  }

  private void told(int from, int epoch, ByteBuf message) {
    RowWaitLayout.check(message, RowWaitLayout.STATE_BYTES);
    long number = RowWaitLayout.wait(message);
    Wait wait = waits.get(number);
    if (wait == null) {
      // It is over here. If the other node did not know that it would give the turn to nobody.
      sendLeave(from, number);
    } else if (wait.node == from) {
      wait.told(RowWaitLayout.state(message));
    }
  }

  private void sendLeave(int node, long number) {
    peers.send(
        node,
        TransactionMessages.ROW_LEAVE,
        RowWaitLayout.leave(peers.allocator().buffer(RowWaitLayout.LEAVE_BYTES), number));
  }

  /**
   * A transaction of this node has written a row for which others of this node wait at another
   * node: they read the row again, and find that they have to wait for that transaction, here.
   */
  void writtenHere(long row) {
    for (Wait wait : waits.values()) {
      if (wait.row == row) {
        wait.comeHere();
      }
    }
  }

  /** Waits that have a place at another node, their turns included. */
  int size() {
    return waits.size();
  }

  @Override
  public void lost(int node) {
    for (Wait wait : waits.values()) {
      if (wait.node == node) {
        wait.told(new RowState.Again());
      }
    }
  }

  @Override
  public void answersChanged(int slot) {
    for (Wait wait : waits.values()) {
      if (Xid.slot(wait.xid) == slot) {
        wait.told(new RowState.Again());
      }
    }
  }

  /** A place in a queue at another node. */
  private final class Wait implements LockWaiter.Goal, LockWaits.Turn {
    private final long number;
    private final LockWaiter waiter;
    private final long xid;
    private final long row;
    private final int passedByBefore;
    private volatile int node;

    private volatile Stand stand = Stand.BEGUN;
    private volatile boolean metWriter;
    private volatile long askedAt;
    private volatile long heardAt;
    private volatile boolean isAsked; // nothing was heard since
    private boolean wasUnanswered;
    private long endedSince;
    private boolean seenEnded;

    Wait(long number, LockWaiter waiter, long xid, long row, int passedByBefore) {
      this.number = number;
      this.waiter = waiter;
      this.xid = xid;
      this.row = row;
      this.passedByBefore = passedByBefore;
    }

    /** Queues at the node that holds the segment now; the place is given up only after that. */
    synchronized void begin() {
      node = peers.answering(Xid.slot(xid));
      waits.put(number, this);
      ask();
      if (!isElsewhere() || peers.answering(Xid.slot(xid)) != node) {
        // No node to queue at, or it changed before the listener could find this wait.
        told(new RowState.Again());
      }
    }

    private void ask() {
      askedAt = detector.nanos();
      isAsked = true;
      if (isElsewhere()) {
        peers.send(
            node,
            TransactionMessages.ROW_WAIT,
            RowWaitLayout.wait(
                peers.allocator().buffer(RowWaitLayout.WAIT_BYTES),
                passedByBefore,
                number,
                xid,
                row));
      }
    }

    private boolean isElsewhere() {
      return node > 0 && node != peers.self();
    }

    /**
     * Called on the event loop that received the message, or on the thread that found a node to be
     * lost.
     */
    synchronized void told(RowState state) {
      if (isOver()) {
        return;
      }
      heardAt = detector.nanos();
      isAsked = false;
      metWriter |= state instanceof RowState.Waiting;
      stand = new Stand(state, false);
      waiter.wake();
    }

    private boolean isOver() {
      return stand.said() instanceof RowState.Turn || stand.isHere();
    }

    /** Gives up the place before the transaction that has written the row passes on its turn. */
    synchronized void comeHere() {
      if (!isOver()) {
        stand = Stand.HERE;
        leave();
        waiter.wake();
      }
    }

    @Override
    public boolean reached() {
      Stand now = stand;
      if (now.isHere()
          || now.said() instanceof RowState.Turn
          || now.said() instanceof RowState.Again) {
        return true;
      }
      if (slots.of(xid) != null) {
        return true; // this node holds the segment now
      }
      if (!(now.said() instanceof RowState.Ended)) {
        return isUnanswered();
      }
      if (!seenEnded) {
        seenEnded = true;
        endedSince = detector.nanos();
      }
      return detector.nanos() - endedSince >= detector.recheckNanos(); // the turn got stuck
    }

    /** Asks again if the last answer is old. */
    private boolean isUnanswered() {
      long now = detector.nanos();
      if (!isAsked && now - heardAt >= UNANSWERED_NANOS) {
        askAgain();
      } else if (isAsked && now - askedAt >= UNANSWERED_NANOS) {
        wasUnanswered = true;
        told(new RowState.Again());
        return true;
      }
      return false;
    }

    /** Not behind the message that gives the place up: it would be queued again, for nobody. */
    private synchronized void askAgain() {
      if (!isOver()) {
        ask();
      }
    }

    /** Records the transaction's outcome even if another node reported it. */
    void learn(Transaction txn) {
      if (stand.said() instanceof RowState.Over over) {
        remote.ended(txn, xid, over.outcome());
      }
    }

    @Override
    public long row() {
      return row;
    }

    @Override
    public int passedBy() {
      return stand.said() instanceof RowState.Turn turn ? turn.passedBy() : 0;
    }

    @Override
    public void leave() {
      if (waits.remove(number) != null && isElsewhere()) {
        sendLeave(node, number);
      }
    }

    @Override
    public long[] holders() {
      return stand.said() instanceof RowState.Waiting waiting && waiting.owner() != 0
          ? new long[] {waiting.owner()}
          : new long[0];
    }

    /**
     * Not when the other node is lost: its next life gives the holder's number to another
     * transaction, which may wait for this one.
     */
    @Override
    public boolean lasts() {
      return stand.said() instanceof RowState.Waiting;
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
