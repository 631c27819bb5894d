package io.gauss.jdbc.routing;

import java.util.Locale;

/**
 * A compute node as the driver sees it. Two are equal when they have the same address; number,
 * state and load change while the node remains the same.
 *
 * @param number the node's number in its cluster, at least 1; 0 when the server does not report one
 *     (PostgreSQL, or a node that was not reached yet)
 * @param host name or address as written in URLs; IPv6 literals keep their brackets
 * @param port of the PostgreSQL protocol
 * @param load how busy the node is, as a share of its capacity: 0 is idle, above 1 work queues up;
 *     NaN when unknown
 */
public record ClusterNode(int number, String host, int port, State state, double load) {
  /** What the driver may do with a node. */
  public enum State {
    /** Answers, or nothing is known to the contrary. */
    UP,
    /** Finishes running transactions, and takes no new ones. */
    DRAINING,
    /** Does not answer, or its cluster has declared it dead. */
    DOWN
  }

  /** Whether new transactions may go there. */
  public boolean isUsable() {
    return state == State.UP;
  }

  /** Host and port, as in URLs. */
  public String address() {
    return host + ":" + port;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClusterNode node && node.port == port && node.host.equals(host);
  }

  @Override
  public int hashCode() {
    return 31 * host.hashCode() + port;
  }

  @Override
  public String toString() {
    String name = number > 0 ? "node " + number + " (" + address() + ")" : address();
    return state == State.UP ? name : name + " " + state.name().toLowerCase(Locale.ROOT);
  }
}
