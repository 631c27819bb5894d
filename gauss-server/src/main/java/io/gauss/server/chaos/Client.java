package io.gauss.server.chaos;

import io.gauss.common.history.History.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A client of one compute node at a time, on a thread of its own: one transaction after the other,
 * on a new connection whenever one has failed.
 */
abstract class Client implements Runnable {
  private static final int RETRY_MS = 50;

  /** Ends of COMMIT that left nothing behind; after any other the client does not know. */
  private static final Set<String> ABORTED = Set.of("40001", "40P01", "23503", "23505");

  final Load load;
  final SplittableRandom random;
  private final String name;
  private int node;

  /** What a transaction does before its COMMIT. */
  @FunctionalInterface
  interface Work {
    void run(Connection connection) throws SQLException;
  }

  Client(Load load, int node, String name, SplittableRandom random) {
    this.load = load;
    this.node = node;
    this.name = name + " of node " + node;
    this.random = random;
  }

  /** One transaction. */
  abstract void once(Connection connection) throws SQLException;

  /** How long the client thinks before the next one, in ms. */
  abstract int thinkMillis();

  final int node() {
    return node;
  }

  /** From the next connection on. */
  final void moveTo(int number) {
    node = number;
  }

  final String name() {
    return name;
  }

  @Override
  public final void run() {
    while (load.isRunning()) {
      long began = System.nanoTime();
      try (Connection connection = load.servers().connect(node)) {
        connection.setAutoCommit(false);
        int at = node;
        while (load.isRunning() && at == node && !connection.isClosed()) {
          once(connection);
          Waits.sleep(1 + random.nextInt(2 * thinkMillis()));
        }
      } catch (SQLException e) {
        // No transaction's outcome depends on it: those have been counted where they failed.
        load.tally().failed("connecting ", e, began);
      }
      if (load.isRunning()) {
        Waits.sleep(RETRY_MS);
      }
    }
  }

  /** Runs a transaction to its end and tells which one it was. */
  final Outcome transaction(Connection connection, Work work) throws SQLException {
    long began = System.nanoTime();
    boolean isCommitting = false;
    try {
      work.run(connection);
      isCommitting = true;
      connection.commit();
      load.tally().committed(node, began);
      return Outcome.COMMITTED;
    } catch (SQLException e) {
      load.tally().failed(isCommitting ? "COMMIT " : "", e, began);
      String state = String.valueOf(e.getSQLState());
      if (state.startsWith("XX")) {
        load.anomaly(name + " was told " + state + ": " + e.getMessage());
      }
      rollBack(connection);
      return isCommitting && !ABORTED.contains(state) ? Outcome.OPEN : Outcome.ABORTED;
    }
  }

  private static void rollBack(Connection connection) throws SQLException {
    if (!connection.isClosed()) {
      try {
        connection.rollback();
      } catch (SQLException e) {
        connection.close(); // its transaction ends with it
      }
    }
  }
}
