package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.history.History;
import io.gauss.common.history.History.Outcome;
import io.gauss.common.history.History.Txn;
import io.gauss.common.history.HistoryChecker;
import io.gauss.compute.engine.Seeds;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients of three compute nodes append to the same lists; what they saw is checked. */
@Timeout(300)
class ClusterHistoriesTest extends OnThreeNodes {
  private static final int CLIENTS = 6;
  private static final int KEYS = 8;
  private static final int TRANSACTIONS = Integer.getInteger("gauss.transactions", 60);

  /** Ends of a transaction that left nothing behind. */
  private static final Set<String> ABORTED = Set.of("40001", "40P01", "55P03", "57014");

  private final AtomicLong values = new AtomicLong();

  @Test
  void repeatableReadIsSnapshotIsolation() throws Exception {
    check("rr", Connection.TRANSACTION_REPEATABLE_READ, HistoryChecker::snapshotIsolation);
  }

  @Test
  void readCommittedSeesWhatIsCommitted() throws Exception {
    check("rc", Connection.TRANSACTION_READ_COMMITTED, HistoryChecker::readCommitted);
  }

  private void check(String table, int isolation, Function<History, Set<String>> checker)
      throws Exception {
    cluster
        .compute(1)
        .execute(
            "CREATE TABLE " + table + " (k int PRIMARY KEY, list text NOT NULL)",
            "INSERT INTO " + table + " SELECT k, '' FROM generate_series(1, " + KEYS + ") AS k");
    Random seeds = new Random(Seeds.next());
    History history = new History();
    List<Future<Void>> running = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Client client = new Client(history, table, isolation, "client " + i, seeds.nextLong());
      running.add(clients.submit(client::run));
    }
    for (Future<Void> client : running) {
      client.get(200, TimeUnit.SECONDS);
    }
    // Everybody sees all of it in the end.
    for (int number : cluster.numbers()) {
      new Client(history, table, isolation, "reader " + number, 0).readAll(number);
    }
    assertEquals(Set.of(), checker.apply(history));
    assertTrue(history.committed() > CLIENTS * TRANSACTIONS / 10, "something was committed");
  }

  /** Runs transactions, each on a node at random. */
  private final class Client {
    private final History history;
    private final String table;
    private final int isolation;
    private final String name;
    private final Random random;

    Client(History history, String table, int isolation, String name, long seed) {
      this.history = history;
      this.table = table;
      this.isolation = isolation;
      this.name = name;
      this.random = new Random(seed);
    }

    Void run() throws SQLException {
      List<Connection> connections = cluster.connections();
      try {
        for (Connection connection : connections) {
          connection.setAutoCommit(false);
          connection.setTransactionIsolation(isolation);
        }
        for (int i = 1; i <= TRANSACTIONS; i++) {
          int node = random.nextInt(connections.size());
          transaction(connections.get(node), history.begin(name + "." + i + " on " + (node + 1)));
        }
      } finally {
        for (Connection connection : connections) {
          connection.close();
        }
      }
      return null;
    }

    private void transaction(Connection connection, Txn txn) throws SQLException {
      try {
        for (int step = 1 + random.nextInt(4); step > 0; step--) {
          int key = 1 + random.nextInt(KEYS);
          if (random.nextBoolean()) {
            read(connection, txn, key);
          } else {
            append(connection, txn, key);
          }
        }
        if (random.nextInt(10) == 0) {
          connection.rollback();
          txn.end(Outcome.ABORTED);
          return;
        }
        connection.commit();
        txn.end(Outcome.COMMITTED);
      } catch (SQLException e) {
        if (!ABORTED.contains(e.getSQLState())) {
          throw e;
        }
        txn.end(Outcome.ABORTED);
        connection.rollback();
      }
    }

    private void read(Connection connection, Txn txn, int key) throws SQLException {
      long began = txn.now();
      try (PreparedStatement select =
          connection.prepareStatement("SELECT list FROM " + table + " WHERE k = ?")) {
        select.setInt(1, key);
        try (ResultSet rows = select.executeQuery()) {
          rows.next();
          txn.read(key, list(rows.getString(1)), began);
        }
      }
    }

    private static List<Long> list(String text) {
      return text.isEmpty()
          ? List.of()
          : Arrays.stream(text.split(" ")).map(Long::valueOf).toList();
    }

    private void append(Connection connection, Txn txn, int key) throws SQLException {
      long value = values.incrementAndGet();
      txn.append(key, value);
      try (PreparedStatement update =
          connection.prepareStatement(
              "UPDATE "
                  + table
                  + " SET list = CASE list WHEN '' THEN ? ELSE list || ' ' || ? END WHERE k = ?")) {
        update.setString(1, Long.toString(value));
        update.setString(2, Long.toString(value));
        update.setInt(3, key);
        assertEquals(1, update.executeUpdate());
      }
    }

    void readAll(int number) throws SQLException {
      try (Connection connection = cluster.compute(number).connect()) {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(isolation);
        Txn txn = history.begin(name);
        for (int key = 1; key <= KEYS; key++) {
          read(connection, txn, key);
        }
        connection.commit();
        txn.end(Outcome.COMMITTED);
      }
    }
  }
}
