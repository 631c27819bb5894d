package io.gauss.jdbc;

import java.util.List;

/**
 * Chooses the compute node of a transaction. Asked at the first statement of every transaction, and
 * at every statement in autocommit mode. Implementations are thread-safe: one policy serves all
 * connections of a driver.
 */
@FunctionalInterface
interface RoutingPolicy {
  /** Every transaction stays on the node that the connection was opened to. */
  RoutingPolicy STAY = (sql, nodes, current) -> current;

  /**
   * @param sql text of the transaction's first statement
   * @param nodes nodes of the cluster
   * @param current node that the connection is on
   * @return one of {@code nodes}
   */
  GaussUrl.Node route(String sql, List<GaussUrl.Node> nodes, GaussUrl.Node current);
}
