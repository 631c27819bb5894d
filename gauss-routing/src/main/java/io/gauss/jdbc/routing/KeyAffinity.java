package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.Decision.Cause;
import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.statement.ReadStatement;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Chooses the node of a transaction of which only a value is known: mostly the same node, even from
 * other applications, and with few changes when nodes come and go (rendezvous hashing). So pages
 * that belong to one key gather on one node, which gives the trainer something to learn from.
 *
 * <p>A value that all statements have (a status, a single tenant) must not bring all transactions
 * to one node: one that has had clearly more of the last decisions than the others is passed over,
 * in favour of the value's next node, unless it is known to have time for them (rendezvous hashing
 * with bounded loads, Mirrokni et al. 2018). Thread-safe.
 */
final class KeyAffinity {
  /** A node has at most so many times its even share of the last decisions. */
  private static final double BOUND = 1.25;

  /** Decisions beyond the bound that mean nothing yet. */
  private static final int FEW = 16;

  /** When there are so many decisions, all counts are halved. */
  private static final int WINDOW = 4096;

  /** A node whose load is known to be lower may have more than its share. */
  private static final double BUSY = 0.5;

  /** Counts of the nodes of a topology, in its order. */
  private record Counts(long topology, AtomicIntegerArray byNode) {}

  private volatile Counts counts = new Counts(-1, new AtomicIntegerArray(0));

  /**
   * The decision when the router does not know.
   *
   * @param router its name
   */
  Decision decide(String router, ReadStatement read, List<?> parameters, Topology topology) {
    Object key = read.key(parameters);
    ClusterNode byKey = key == null ? null : choose(key, topology, true);
    return byKey == null
        ? Decision.anywhere(router + ": does not know")
        : Decision.on(byKey, Cause.FIRST_VALUE, router + ": does not know; by the first value");
  }

  /** Explains to users what happens to a statement that model or table do not know. */
  String explain(ReadStatement read, List<?> parameters, Topology topology) {
    Object key = read.key(parameters);
    ClusterNode byKey = key == null ? null : choose(key, topology, false);
    return byKey == null
        ? "Decision: any node that is not busy, since no value is known"
        : "Decision: " + byKey + ", by the first value";
  }

  /** Null when no node is usable. */
  private ClusterNode choose(Object key, Topology topology, boolean isCounted) {
    List<ClusterNode> nodes = topology.nodes();
    AtomicIntegerArray had = counts(topology);
    int all = 0;
    int usable = 0;
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i).isUsable()) {
        all += had.get(i);
        usable++;
      }
    }
    double most = FEW + BOUND * all / Math.max(1, usable);
    int best = -1;
    int first = -1; // bound or not
    long highest = 0;
    long highestOfAll = 0;
    for (int i = 0; i < nodes.size(); i++) {
      ClusterNode node = nodes.get(i);
      if (node.isUsable()) {
        long weight = mix(hash(key) * 0x9e3779b97f4a7c15L + name(node));
        if (first < 0 || weight > highestOfAll) {
          first = i;
          highestOfAll = weight;
        }
        boolean hasRoom = had.get(i) < most || node.load() < BUSY; // never with NaN
        if (hasRoom && (best < 0 || weight > highest)) {
          best = i;
          highest = weight;
        }
      }
    }
    int chosen = best < 0 ? first : best;
    if (chosen < 0) {
      return null;
    }
    if (isCounted) {
      had.incrementAndGet(chosen);
      if (all >= WINDOW) {
        halve(had);
      }
    }
    return nodes.get(chosen);
  }

  private AtomicIntegerArray counts(Topology topology) {
    Counts now = counts;
    if (now.topology != topology.version() || now.byNode.length() != topology.nodes().size()) {
      now = new Counts(topology.version(), new AtomicIntegerArray(topology.nodes().size()));
      counts = now;
    }
    return now.byNode;
  }

  /** Two threads may both do this: then earlier decisions count a quarter. */
  private static void halve(AtomicIntegerArray counts) {
    for (int i = 0; i < counts.length(); i++) {
      counts.updateAndGet(i, count -> count / 2);
    }
  }

  /** Numbers that are written as text are the same numbers. */
  private static long hash(Object key) {
    double number = ColumnProfile.number(key);
    return Double.isNaN(number) ? key.hashCode() : Double.hashCode(number);
  }

  /** The node's number when it is known: applications may reach a node by different names. */
  private static long name(ClusterNode node) {
    return node.number() > 0 ? node.number() : node.address().hashCode();
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
