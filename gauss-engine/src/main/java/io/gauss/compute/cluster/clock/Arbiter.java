package io.gauss.compute.cluster.clock;

/**
 * Decides which of two nodes that cannot reach each other continues without the other: the cluster
 * map. Its decision comes back by {@link CommitBroadcast#suspensions}. Requests may be lost and are
 * repeated. Nothing waits.
 */
public interface Arbiter {
  /**
   * Requests that a node be suspended, since it does not answer.
   *
   * @param known number of the suspension that it has, or had last, as far as is known; 0 = none
   */
  void suspend(int node, int epoch, long known);

  /**
   * Requests the end of this node's suspension: it has reached all others.
   *
   * @param number of its suspension
   * @param newestEpoch the newest epoch among the nodes that it has reached
   */
  void resume(long number, int newestEpoch);

  /** A node has not answered for long; repeated every second until it answers. */
  void unreachable(int node, int epoch);
}
