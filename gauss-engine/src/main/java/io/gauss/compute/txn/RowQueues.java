package io.gauss.compute.txn;

import io.gauss.common.id.Xid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The waiters for rows that transactions of this node's segments wrote, and which of them has the
 * turn.
 *
 * <p>First come, first served, with one exception: when the transaction that wrote the row has
 * ended, a waiter of this node may be preferred to the first waiter of another node, which is
 * passed over at most {@link #PASSED_BY} times for one row, over all its queues. Within this node
 * the row changes hands at memory speed, since no waiter needs the commit to be durable and known
 * everywhere; going to another node costs a log force, a round of calls and a page transfer. So a
 * row that all nodes want is written by several transactions each time it reaches a node, as with
 * lock cohorting (Dice, Marathe and Shavit, PPoPP 2012).
 *
 * <p>A waiter that already has the turn of an earlier queue for the row, because another
 * transaction came in between, is ahead of all waiters without one. Thread-safe; waiters are
 * notified under a lock of the queue, so they must not block.
 */
final class RowQueues {
  /**
   * How many may go before a waiter of another node: by then each one's share of the transfer is
   * small.
   */
  static final int PASSED_BY = 16;

  /** In place of the number of times that others were preferred: has no turn for the row yet. */
  static final int NEW = -1;

  private static final int STRIPES = 64;

  private final Stripe[] stripes = new Stripe[STRIPES];

  RowQueues() {
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  /**
   * Takes a place in the queue for a row that a transaction wrote.
   *
   * @param here whether the waiting transaction is of this node
   * @param passedBy how often others were preferred to it in earlier queues for the row, or {@link
   *     #NEW}
   */
  Place add(LockWaits.Waiting waiter, long xid, long row, boolean here, int passedBy) {
    Stripe stripe = stripe(xid);
    Place place = new Place(stripe, waiter, new Key(xid, row), here, passedBy);
    stripe.add(place);
    return place;
  }

  /** The transaction has ended: in each of its queues a waiter gets the turn. */
  void ended(long xid) {
    stripe(xid).ended(xid);
  }

  /**
   * For a waiter that checks after queueing and finds that the transaction has ended, in which case
   * no thread may come to give turns.
   *
   * @return whether it has the turn
   */
  boolean takeTurnIfNext(Place place) {
    return place.stripe.takeTurnIfNext(place);
  }

  private Stripe stripe(long xid) {
    return stripes[(int) (xid ^ xid >>> Xid.SEQUENCE_BITS) & (STRIPES - 1)];
  }

  private record Key(long xid, long row) {}

  /** A place in a queue. It is kept together with the turn, until the turn is passed on. */
  static final class Place implements LockWaits.Turn {
    private final Stripe stripe;
    private final LockWaits.Waiting waiter;
    private final Key key;
    private final boolean here;
    private final boolean isNew;
    private int passedBy; // published by turn
    private volatile boolean turn;

    private Place(Stripe stripe, LockWaits.Waiting waiter, Key key, boolean here, int passedBy) {
      this.stripe = stripe;
      this.waiter = waiter;
      this.key = key;
      this.here = here;
      this.isNew = passedBy == NEW;
      this.passedBy = Math.max(0, passedBy);
    }

    long xid() {
      return key.xid;
    }

    @Override
    public long row() {
      return key.row;
    }

    @Override
    public void leave() {
      stripe.remove(this);
    }

    boolean hasTurn() {
      return turn;
    }

    @Override
    public int passedBy() {
      return passedBy;
    }
  }

  /** The waiters for one row that one transaction wrote. */
  private static final class Queue {
    private final List<Place> waiting = new ArrayList<>(2);
    private Place first; // has the turn

    void add(Place place) {
      int at = waiting.size();
      if (!place.isNew) {
        at = 0;
        while (at < waiting.size() && !waiting.get(at).isNew) {
          at++;
        }
      }
      waiting.add(at, place);
    }

    boolean isEmpty() {
      return first == null && waiting.isEmpty();
    }

    /** The waiter to get the turn when none has it; null when there are no waiters. */
    private Place next() {
      if (waiting.isEmpty()) {
        return null;
      }
      Place longest = waiting.getFirst();
      if (longest.here || longest.passedBy >= PASSED_BY) {
        return longest;
      }
      for (Place place : waiting) {
        if (place.here) {
          return place;
        }
      }
      return longest;
    }

    /** Gives the turn to a waiter, if it is free and there is a waiter. */
    void giveTurn() {
      Place next = first == null ? next() : null;
      if (next != null) {
        takeTurn(next);
        next.waiter.turn();
      }
    }

    boolean takeTurnIfNext(Place place) {
      if (first == null && next() == place) {
        takeTurn(place);
      }
      return place.turn;
    }

    private void takeTurn(Place place) {
      if (waiting.getFirst() != place) {
        waiting.getFirst().passedBy++;
      }
      waiting.remove(place);
      first = place;
      place.turn = true;
    }

    void remove(Place place) {
      if (first == place) {
        first = null;
        giveTurn();
      } else {
        waiting.remove(place);
      }
    }

    void ended() {
      giveTurn();
      waiting.forEach(place -> place.waiter.ended());
    }
  }

  /** The queues of some transactions. */
  private static final class Stripe {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Key, Queue> queues = new HashMap<>();

    void add(Place place) {
      lock.lock();
      try {
        queues.computeIfAbsent(place.key, key -> new Queue()).add(place);
      } finally {
        lock.unlock();
      }
    }

    void remove(Place place) {
      lock.lock();
      try {
        Queue queue = queues.get(place.key);
        queue.remove(place);
        if (queue.isEmpty()) {
          queues.remove(place.key);
        }
      } finally {
        lock.unlock();
      }
    }

    void ended(long xid) {
      lock.lock();
      try {
        queues.forEach(
            (key, queue) -> {
              if (key.xid == xid) {
                queue.ended();
              }
            });
      } finally {
        lock.unlock();
      }
    }

    boolean takeTurnIfNext(Place place) {
      lock.lock();
      try {
        Queue queue = queues.get(place.key);
        return queue != null && queue.takeTurnIfNext(place); // null when it has left meanwhile
      } finally {
        lock.unlock();
      }
    }
  }
}
