package io.gauss.bench.routing;

import io.gauss.bench.Workload;
import io.gauss.jdbc.RoutedConnection;
import io.gauss.jdbc.routing.Decision;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/** A terminal with one connection of the driver, and its counts. Used by one thread at a time. */
final class RoutedClient implements AutoCloseable {
  /** The class of SQLSTATEs of transactions that were rolled back and may be retried. */
  private static final String ROLLED_BACK = "40";

  /**
   * The node was lost or stops, does not take connections, or the transaction had failed with it.
   */
  private static final List<String> LOST = List.of("08", "57P", "53300", "25P02");

  private static final String NODE_HINT = "gauss.node";

  /** The driver's text for statements for which its router has no answer. */
  private static final String NOT_KNOWN = "does not know";

  private static final long HIGHEST_US = 600_000_000L;

  /** The counts made while measuring. */
  static final class Tally {
    final Histogram latencyUs = new Histogram(HIGHEST_US, 3);
    final UnitTally units = new UnitTally();
    long known;
    long failures;

    void add(Tally other) {
      latencyUs.add(other.latencyUs);
      units.add(other.units);
      known += other.known;
      failures += other.failures;
    }
  }

  private final Connection connection;
  private final RoutedConnection routed; // null = of another driver, which has one node
  private final Workload.Terminal terminal;
  private final Oracle oracle;
  private final boolean survives;
  private Tally tally = new Tally();
  private int unit;

  /**
   * @param connection taken over
   * @param oracle tells nodes, used for hints; null for no hints
   * @param survives whether the loss of a node is a rollback, and not the end
   */
  RoutedClient(
      RoutedWorkload workload,
      Connection connection,
      int id,
      SplittableRandom random,
      Oracle oracle,
      boolean survives)
      throws SQLException {
    this.connection = connection;
    this.routed =
        connection.isWrapperFor(RoutedConnection.class)
            ? connection.unwrap(RoutedConnection.class)
            : null;
    this.oracle = oracle;
    this.survives = survives;
    this.terminal = workload.newTerminal(connection, id, random, this::begins);
  }

  private void begins(int next, long key) throws SQLException {
    unit = next;
    if (oracle != null) {
      connection.setClientInfo(NODE_HINT, Integer.toString(oracle.node(next, key)));
    }
  }

  /**
   * Runs one transaction, another one after each that was rolled back, until one commits or the
   * time is up.
   *
   * @param measuring whether transactions that end now count
   * @return the node, 0 when the time was up
   * @throws SQLException when it failed for another reason
   */
  int runOne(BooleanSupplier measuring, BooleanSupplier enough) throws SQLException {
    long start = System.nanoTime();
    while (!enough.getAsBoolean()) {
      try {
        terminal.runOne();
        int node = routed == null ? 1 : routed.node().number();
        if (measuring.getAsBoolean()) {
          count(node, System.nanoTime() - start);
        }
        return node;
      } catch (SQLException e) {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
        if (!isRepeated(e)) {
          throw e;
        }
        if (measuring.getAsBoolean()) {
          tally.failures++;
        }
      }
    }
    return 0;
  }

  private boolean isRepeated(SQLException e) {
    String state = e.getSQLState();
    return state != null
        && (state.startsWith(ROLLED_BACK) || survives && LOST.stream().anyMatch(state::startsWith));
  }

  private void count(int node, long nanos) {
    tally.latencyUs.recordValue(Math.min(HIGHEST_US, Math.max(1, nanos / 1000)));
    tally.units.ran(unit, node);
    Decision decision = routed == null ? null : routed.lastDecision();
    tally.known += decision != null && !decision.reason().contains(NOT_KNOWN) ? 1 : 0;
  }

  /** The counts since the last call. */
  Tally takeTally() {
    Tally taken = tally;
    tally = new Tally();
    return taken;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
