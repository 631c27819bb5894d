package io.gauss.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * A terminal with a session on each node that it uses, and its counts for each. Used by one thread
 * at a time.
 */
final class Client implements AutoCloseable {
  /** The class of SQLSTATEs of transactions that were rolled back and may be retried. */
  private static final String ROLLED_BACK = "40";

  private final int id;
  private final int kinds;
  private final SplittableRandom random;

  /** By number of the node; null where the terminal has no session. */
  private final Connection[] connections;

  private final Workload.Terminal[] terminals;
  private final NodeTally[] tallies;
  private final List<Integer> used = new ArrayList<>();

  Client(int id, int nodes, int kinds, SplittableRandom random) {
    this.id = id;
    this.random = random;
    this.kinds = kinds;
    connections = new Connection[nodes];
    terminals = new Workload.Terminal[nodes];
    tallies = new NodeTally[nodes];
    for (int node = 0; node < nodes; node++) {
      tallies[node] = new NodeTally(kinds);
    }
  }

  /** Takes over the session, and closes it with this object. */
  void use(int node, Connection connection) {
    connections[node] = connection;
    used.add(node);
  }

  /** Makes the terminals, which prepare their statements. */
  void prepare(Workload workload) throws SQLException {
    for (int node : used) {
      SplittableRandom own = used.size() == 1 ? random : random.split();
      terminals[node] = workload.newTerminal(connections[node], id, own);
    }
  }

  /**
   * Runs one transaction, repeating it after rollbacks, until it commits or the time is up.
   *
   * @param measuring whether transactions that end now count
   * @param enough whether to give up one that was rolled back
   * @return whether it committed
   * @throws SQLException when it failed for another reason
   */
  boolean runOne(BooleanSupplier measuring, BooleanSupplier enough) throws SQLException {
    int node = used.size() == 1 ? used.getFirst() : used.get(random.nextInt(used.size()));
    Workload.Terminal terminal = terminals[node];
    long start = System.nanoTime();
    while (true) {
      try {
        int kind = terminal.runOne();
        if (measuring.getAsBoolean()) {
          tallies[node].committed(kind, System.nanoTime() - start);
        }
        return true;
      } catch (SQLException e) {
        String state = e.getSQLState() == null ? "?" : e.getSQLState();
        if (!connections[node].getAutoCommit()) {
          connections[node].rollback();
        }
        if (measuring.getAsBoolean()) {
          tallies[node].failed(terminal.currentKind(), state);
        }
        if (!state.startsWith(ROLLED_BACK)) {
          throw e;
        }
        if (enough.getAsBoolean()) {
          return false;
        }
      }
    }
  }

  NodeTally tally(int node) {
    return tallies[node];
  }

  /** The counts since the last call; not to be called while transactions run. */
  NodeTally takeTally(int node) {
    NodeTally taken = tallies[node];
    tallies[node] = new NodeTally(kinds);
    return taken;
  }

  /** Executes a statement on each node that it uses, outside of transactions. */
  void execute(String sql) throws SQLException {
    for (int node : used) {
      try (Statement statement = connections[node].createStatement()) {
        statement.execute(sql);
      }
      if (!connections[node].getAutoCommit()) {
        connections[node].commit();
      }
    }
  }

  @Override
  public void close() throws SQLException {
    for (int node : used) {
      connections[node].close();
    }
  }
}
