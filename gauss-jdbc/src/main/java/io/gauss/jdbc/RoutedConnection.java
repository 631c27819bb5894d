package io.gauss.jdbc;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.RouterReport;
import io.gauss.jdbc.routing.Topology;

/**
 * Information about a connection of this driver; {@code connection.unwrap(
 * RoutedConnection.class)}.
 */
public interface RoutedConnection {
  /** The node that was used last. */
  ClusterNode node();

  /** The last decision, with its reason; null before the first. */
  Decision lastDecision();

  /**
   * Why the connection is on its node, for people: several lines, like those of {@code EXPLAIN
   * (ROUTE)}. The last decision as it was made, then the router's current decision for that
   * statement, by published data and loads that may have changed since.
   */
  String lastRoute();

  /** The router's statistics for all connections with the same hosts, database and mode. */
  RouterReport routerReport();

  /** The nodes as this driver knows them. */
  Topology topology();

  /** The pins of the connection to its node; empty when there are none. */
  String pinnedBy();
}
