package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.Decision.Cause;
import java.util.List;

/**
 * Chooses the node of a transaction of which only a value is known: always the same node, even from
 * other applications, and with few changes when nodes come and go (rendezvous hashing). So pages
 * that belong to one key gather on one node, which gives the trainer something to learn from.
 */
final class KeyAffinity {
  private KeyAffinity() {}

  /**
   * @param values of the statement's predicates; the first known one counts
   * @return null when no value is known or no node is usable
   */
  static ClusterNode choose(Object[] values, List<ClusterNode> nodes) {
    Object key = null;
    for (int i = 0; i < values.length && key == null; i++) {
      key = values[i];
    }
    if (key == null) {
      return null;
    }
    ClusterNode best = null;
    long highest = Long.MIN_VALUE;
    for (ClusterNode node : nodes) {
      if (node.isUsable()) {
        long weight = mix(key.hashCode() * 0x9e3779b97f4a7c15L + name(node));
        if (best == null || weight > highest) {
          best = node;
          highest = weight;
        }
      }
    }
    return best;
  }

  /**
   * The decision when the router does not know.
   *
   * @param router its name
   */
  static Decision decide(String router, Object[] values, Topology topology) {
    ClusterNode byKey = choose(values, topology.nodes());
    return byKey == null
        ? Decision.anywhere(router + ": does not know")
        : Decision.on(byKey, Cause.FIRST_VALUE, router + ": does not know; by the first value");
  }

  /** Explains to users what happens to a statement that model or table do not know. */
  static String explain(Object[] values, Topology topology) {
    ClusterNode byKey = choose(values, topology.nodes());
    return byKey == null
        ? "Decision: any node that is not busy, since no value is known"
        : "Decision: " + byKey + ", by the first value";
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
