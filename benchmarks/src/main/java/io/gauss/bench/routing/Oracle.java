package io.gauss.bench.routing;

import java.sql.SQLException;

/** A client's knowledge of where transactions belong. Thread-safe. */
@FunctionalInterface
interface Oracle {
  /**
   * The number of the node.
   *
   * @param unit of the transaction
   * @param key that shows which page groups it uses
   */
  int node(int unit, long key) throws SQLException;
}
