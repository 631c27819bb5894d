package io.gauss.jdbc;

import io.gauss.jdbc.cluster.NodeConnection;
import java.sql.Statement;

/**
 * The physical statement that a logical one has on one node, and how much of the logical one's
 * state was applied to it.
 */
final class StatementHandle {
  final NodeConnection on;
  final Statement statement;

  /** Number of the logical statement's settings that were applied here. */
  int settings;

  /** Version of the parameters that are set here. */
  long parameters;

  StatementHandle(NodeConnection on, Statement statement) {
    this.on = on;
    this.statement = statement;
  }
}
