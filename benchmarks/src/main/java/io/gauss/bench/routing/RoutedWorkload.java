package io.gauss.bench.routing;

import io.gauss.bench.Workload;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.SplittableRandom;

/**
 * A workload whose transactions belong to units: parts of the data that are used together. A client
 * that knows the unit of a transaction before it begins, and keeps each unit on one node, needs no
 * router. Terminals belong to no unit.
 */
public interface RoutedWorkload extends Workload {
  /** Number of units, which are numbered from 0. */
  int units();

  /**
   * A terminal whose transactions are of any unit.
   *
   * @param hint gets the unit of each transaction before its first statement
   */
  Terminal newTerminal(Connection connection, int id, SplittableRandom random, UnitHint hint)
      throws SQLException;

  @Override
  default Terminal newTerminal(Connection connection, int id, SplittableRandom random)
      throws SQLException {
    return newTerminal(connection, id, random, (unit, key) -> {});
  }

  /**
   * The column whose key, told with a unit, shows which page groups a transaction uses: {@code
   * table.column}, the first one of a primary key; null when no key does.
   */
  default String keyColumn() {
    return null;
  }

  /** Moves the hot spot as far as possible, while terminals run; for loads that have one. */
  default void moveHotSpot() {
    throw new UnsupportedOperationException(name() + " has no hot spot that moves");
  }

  /** Gets the unit of a transaction that begins. */
  @FunctionalInterface
  interface UnitHint {
    /**
     * @param key of {@link #keyColumn}; any when there is none
     */
    void begins(int unit, long key) throws SQLException;

    default void begins(int unit) throws SQLException {
      begins(unit, 0);
    }
  }
}
