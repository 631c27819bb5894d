package io.gauss.jdbc;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.RouterReport;
import io.gauss.jdbc.routing.Topology;

/**
 * What a connection of this driver can tell of itself; {@code connection.unwrap(
 * RoutedConnection.class)}.
 */
public interface RoutedConnection {
  /** The node that was used last. */
  ClusterNode node();

  /** The last decision, with its reason; null before the first. */
  Decision lastDecision();

  /**
   * Why the connection is where it is, for people: several lines, like those of {@code EXPLAIN
   * (ROUTE)}. The last decision as it was made, and behind it what the router says of that
   * statement now, by what is published and by loads that may have changed since.
   */
  String lastRoute();

  /** What the router has done for all connections with the same hosts, database and mode. */
  RouterReport routerReport();

  /** The nodes as this driver knows them. */
  Topology topology();

  /** What ties the connection to its node; empty when nothing does. */
  String pinnedBy();
}
