package io.gauss.jdbc;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
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

  /** The nodes as this driver knows them. */
  Topology topology();

  /** What ties the connection to its node; empty when nothing does. */
  String pinnedBy();
}
