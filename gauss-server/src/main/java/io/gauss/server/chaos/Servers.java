package io.gauss.server.chaos;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A cluster as its clients see it. Thread-safe. */
interface Servers {
  /** Numbers of the compute nodes that clients use now, one at least. */
  List<Integer> computeNodes();

  /** Those that they may ever use. */
  List<Integer> possibleComputeNodes();

  /**
   * A connection to a compute node.
   *
   * @throws SQLException as the driver does
   */
  Connection connect(int compute) throws SQLException;
}
