package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Brings connections that stay where they are (mode {@code sticky}) back to a node that was gone,
 * one after the other, so that a node that has just started is not flooded: at most all connections
 * within the time that is set. A node counts when it has been usable for a tenth of that.
 * Thread-safe; {@link #target} costs a volatile read as long as nothing is to be moved.
 */
final class Balance {
  private final ReentrantLock lock = new ReentrantLock();
  private final long withinNanos;
  private final Set<Seat> seats = new HashSet<>();
  private final ReferenceQueue<Cluster.Idle> unreachable = new ReferenceQueue<>();
  private final Map<ClusterNode, Integer> sessions = new HashMap<>();
  private final Map<ClusterNode, Long> usableSince = new HashMap<>();
  private List<ClusterNode> ready = List.of();
  private boolean byPreference;
  private long nextMoveNanos;
  private volatile boolean isUneven;

  /**
   * @param withinSeconds how long it takes to move all connections; 0 = none are moved
   */
  Balance(int withinSeconds) {
    this.withinNanos = TimeUnit.SECONDS.toNanos(withinSeconds);
  }

  /** A session begins on this node. */
  Seat arrived(ClusterNode node, Cluster.Idle session) {
    lock.lock();
    try {
      Seat seat = new Seat(session, unreachable, node);
      seats.add(seat);
      add(node, 1);
      return seat;
    } finally {
      lock.unlock();
    }
  }

  /** A session is on another node now. */
  void moved(Seat seat, ClusterNode to) {
    lock.lock();
    try {
      if (seats.contains(seat)) {
        add(seat.node, -1);
        add(to, 1);
        isUneven = isUneven();
      }
      seat.node = to;
    } finally {
      lock.unlock();
    }
  }

  /** A session ends. False when it has left before. */
  boolean left(Seat seat) {
    lock.lock();
    try {
      boolean isFirst = seats.remove(seat);
      if (isFirst) {
        add(seat.node, -1);
      }
      return isFirst;
    } finally {
      lock.unlock();
    }
  }

  /** Sessions that nobody has any more leave. Returns how many there were. */
  int forget() {
    int count = 0;
    Reference<? extends Cluster.Idle> next = unreachable.poll();
    while (next != null) {
      count += left((Seat) next) ? 1 : 0;
      next = unreachable.poll();
    }
    return count;
  }

  /** All sessions. */
  List<Cluster.Idle> sessions() {
    lock.lock();
    try {
      return seats.stream().map(Seat::get).filter(Objects::nonNull).toList();
    } finally {
      lock.unlock();
    }
  }

  private void add(ClusterNode node, int change) {
    sessions.merge(node, change, Integer::sum);
    sessions.remove(node, 0);
  }

  /**
   * Looks which nodes there are, from time to time.
   *
   * @param nodes to which connections may be opened now, in the URL's order as far as it names them
   * @param prefersFirst connections belong to the first of them, not to all
   */
  void look(List<ClusterNode> nodes, boolean prefersFirst, long nowNanos) {
    if (withinNanos == 0) {
      return;
    }
    lock.lock();
    try {
      usableSince.keySet().retainAll(nodes);
      List<ClusterNode> stable = new ArrayList<>();
      for (ClusterNode node : nodes) {
        long since = usableSince.computeIfAbsent(node, n -> nowNanos);
        if (nowNanos - since >= withinNanos / 10) {
          stable.add(node);
        }
      }
      ready = stable;
      byPreference = prefersFirst;
      if (!isUneven) {
        nextMoveNanos = nowNanos;
      }
      isUneven = isUneven();
    } finally {
      lock.unlock();
    }
  }

  private boolean isUneven() {
    return sessions.keySet().stream().anyMatch(node -> better(node) != null);
  }

  /** Where a session of this node rather belongs; null when it may stay. */
  private ClusterNode better(ClusterNode here) {
    if (ready.isEmpty()) {
      return null;
    }
    if (byPreference) {
      return ready.get(0).equals(here) ? null : ready.get(0);
    }
    ClusterNode fewest = ready.get(0);
    for (ClusterNode node : ready) {
      if (count(node) < count(fewest)) {
        fewest = node;
      }
    }
    return count(here) - count(fewest) >= 2 ? fewest : null;
  }

  private int count(ClusterNode node) {
    return sessions.getOrDefault(node, 0);
  }

  /** Where a session of this node moves now; null when it stays. */
  ClusterNode target(ClusterNode here, long nowNanos) {
    if (!isUneven) {
      return null;
    }
    lock.lock();
    try {
      ClusterNode next = nowNanos - nextMoveNanos < 0 ? null : better(here);
      if (next != null) {
        int all = sessions.values().stream().mapToInt(Integer::intValue).sum();
        nextMoveNanos = nowNanos + withinNanos / Math.max(1, all);
      }
      return next;
    } finally {
      lock.unlock();
    }
  }
}
