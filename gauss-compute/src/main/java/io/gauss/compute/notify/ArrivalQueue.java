package io.gauss.compute.notify;

import io.gauss.common.invariant.Invariant;
import io.gauss.compute.notify.Listener.Held;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The notifications that a node has taken from transactions of all nodes, in the order in which
 * they came, and those that wait for sessions: one bounded memory.
 *
 * <p>Invariant: a transaction's notifications go to sessions after those of all transactions that
 * came before it, whose outcome is awaited for that. Not kept: nodes need not have the same order.
 *
 * <p>Under the lock of {@link Notifications}.
 */
final class ArrivalQueue {
  private static final int REFERENCE_BYTES = 16;

  private final Channels channels;
  private final long most;
  private final ArrayDeque<Arrival> arrivals = new ArrayDeque<>();
  private final Map<Arrival.Key, Arrival> open = new LinkedHashMap<>();
  private long taken;
  private long delivered;

  /**
   * @param most bytes that it may take
   */
  ArrivalQueue(Channels channels, long most) {
    this.channels = channels;
    this.most = most;
  }

  long taken() {
    return taken;
  }

  /** Notifications that were handed to sessions, each once for each of them. */
  long delivered() {
    return delivered;
  }

  /** Transactions whose outcome is awaited. */
  int undecided() {
    return open.size();
  }

  int percent() {
    return (int) Math.min(100, taken * 100 / most);
  }

  // ---------------------------------------------------------------- arrivals

  /** Begins a transaction's notifications. */
  Arrival begin(Arrival.Key key, long xid) {
    Arrival arrival = new Arrival(key, xid);
    arrivals.add(arrival);
    open.put(key, arrival);
    return arrival;
  }

  /** Null when there is none whose outcome is awaited. */
  Arrival find(Arrival.Key key) {
    return open.get(key);
  }

  /**
   * Adds some of a transaction's notifications.
   *
   * @return false when there is no room; the transaction is not here then
   */
  boolean add(Arrival to, List<Notification> notifications) {
    long bytes = 0;
    for (Notification notification : notifications) {
      bytes += notification.bytes();
    }
    if (taken + bytes > most) {
      decide(to, Arrival.State.ABORTED, 0);
      return false;
    }
    taken += bytes;
    to.bytes += bytes;
    to.notifications.addAll(notifications);
    return true;
  }

  /** The outcome of an arrival is known. */
  void decide(Arrival arrival, Arrival.State outcome, long csn) {
    if (open.remove(arrival.key, arrival)) {
      arrival.state = outcome;
      arrival.csn = csn;
      if (outcome == Arrival.State.ABORTED) {
        taken -= arrival.bytes;
        arrivals.removeLastOccurrence(arrival); // mostly it is the last
      }
    }
  }

  /** Those of a node whose outcome is awaited. */
  List<Arrival> openOf(int slot) {
    List<Arrival> found = new ArrayList<>();
    open.values().stream().filter(arrival -> arrival.key.slot() == slot).forEach(found::add);
    return found;
  }

  // ---------------------------------------------------------------- sessions

  /**
   * Hands on what is decided, up to the first that is not.
   *
   * @param visible this node's commits up to this LSN may be told
   */
  void advance(long visible) {
    for (Arrival head = arrivals.peek(); head != null; head = arrivals.peek()) {
      if (head.state == Arrival.State.RESERVED && head.lsn <= visible) {
        decide(head, Arrival.State.COMMITTED, head.csn);
      }
      switch (head.state) {
        case OPEN, RESERVED -> {
          return;
        }
        case COMMITTED -> deliver(head);
        case ABORTED -> throw Invariant.broken("an aborted transaction's notifications are queued");
      }
      arrivals.remove();
    }
  }

  private void deliver(Arrival arrival) {
    for (Notification notification : arrival.notifications) {
      Held held = new Held(notification);
      for (Listener listener : channels.of(notification.channel())) {
        if (arrival.csn > listener.channels().get(notification.channel())) {
          held.listeners++;
          listener.add(held);
          taken += REFERENCE_BYTES;
        }
      }
      if (held.listeners == 0) {
        taken -= notification.bytes();
      }
    }
  }

  /** The next one for a session; null when there is none. */
  Notification take(Listener listener) {
    Held held = listener.poll();
    if (held == null) {
      return null;
    }
    delivered++;
    taken -= REFERENCE_BYTES;
    held.listeners--;
    if (held.listeners == 0) {
      taken -= held.notification.bytes();
    }
    return held.notification;
  }

  /** Number of the session for which most is waiting; 0 when nothing waits for any. */
  int slowest() {
    Listener slowest = null;
    for (Listener listener : channels.all()) {
      if (listener.waiting() > (slowest == null ? 0 : slowest.waiting())) {
        slowest = listener;
      }
    }
    return slowest == null ? 0 : slowest.pid();
  }
}
