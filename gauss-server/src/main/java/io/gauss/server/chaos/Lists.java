package io.gauss.server.chaos;

import io.gauss.common.history.History;
import io.gauss.common.history.History.Outcome;
import io.gauss.common.history.History.Txn;
import io.gauss.common.history.HistoryChecker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that append to lists and read them, from which {@link HistoryChecker} tells what the
 * isolation level forbids, with real time. Each round has lists of its own.
 */
final class Lists {
  static final List<String> TABLES =
      List.of("CREATE TABLE lists (k int PRIMARY KEY, list text NOT NULL)");

  private static final int KEYS = 8;
  private static final int KEYS_PER_ROUND = 10;

  /** Checking takes time that grows with the square of their number. */
  private static final int MANY = 900;

  private static final int THINK_MS = 20;
  private static final int THINK_LONG_MS = 500;

  private final Load load;
  private final AtomicLong values = new AtomicLong();
  private final AtomicInteger count = new AtomicInteger();
  private History history;
  private int first;
  private boolean oneSnapshot;

  Lists(Load load) {
    this.load = load;
  }

  /** Makes the lists of a new round. */
  void begin(boolean isRepeatableRead) throws SQLException {
    oneSnapshot = isRepeatableRead;
    history = new History();
    count.set(0);
    load.insist(
        load.first(),
        connection -> {
          first += KEYS_PER_ROUND; // others each time: the one before may be there
          try (Statement statement = connection.createStatement()) {
            statement.execute(
                "INSERT INTO lists SELECT g, '' FROM generate_series(%d, %d) AS g"
                    .formatted(first, first + KEYS - 1));
          }
        });
  }

  Client client(int node, SplittableRandom random) {
    return new ListClient(node, random);
  }

  /** Reads all lists of the round, as one more transaction of the history. */
  void read(int node, Connection connection) throws SQLException {
    Txn txn = history.begin("reader " + node);
    for (int key = first; key < first + KEYS; key++) {
      read(connection, txn, key);
    }
    txn.end(Outcome.COMMITTED);
  }

  /** What the history of the round has that must not be. */
  void check() {
    (oneSnapshot
            ? HistoryChecker.snapshotIsolation(history)
            : HistoryChecker.readCommitted(history))
        .forEach(load::anomaly);
  }

  private static void read(Connection connection, Txn txn, int key) throws SQLException {
    long began = txn.now();
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT list FROM lists WHERE k = ?")) {
      statement.setInt(1, key);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        String list = row.getString(1);
        txn.read(
            key,
            list.isEmpty() ? List.of() : Arrays.stream(list.split(" ")).map(Long::valueOf).toList(),
            began);
      }
    }
  }

  private final class ListClient extends Client {
    ListClient(int node, SplittableRandom random) {
      super(Lists.this.load, node, "lists", random);
    }

    @Override
    int thinkMillis() {
      return count.get() < MANY ? THINK_MS : THINK_LONG_MS;
    }

    @Override
    void once(Connection connection) throws SQLException {
      connection.setTransactionIsolation(
          oneSnapshot
              ? Connection.TRANSACTION_REPEATABLE_READ
              : Connection.TRANSACTION_READ_COMMITTED);
      Txn txn = history.begin(name() + " " + count.incrementAndGet());
      boolean rollsBack = random.nextInt(15) == 0;
      if (rollsBack) {
        try {
          steps(connection, txn);
          connection.rollback();
        } catch (SQLException e) {
          connection.close(); // which ends the transaction, too
        }
        txn.end(Outcome.ABORTED);
        return;
      }
      txn.end(transaction(connection, each -> steps(each, txn)));
    }

    private void steps(Connection connection, Txn txn) throws SQLException {
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        int key = first + random.nextInt(KEYS);
        if (random.nextBoolean()) {
          read(connection, txn, key);
        } else {
          append(connection, txn, key);
        }
      }
    }

    private void append(Connection connection, Txn txn, int key) throws SQLException {
      long value = values.incrementAndGet();
      txn.append(key, value);
      try (PreparedStatement statement =
          connection.prepareStatement(
              "UPDATE lists SET list = CASE list WHEN '' THEN ? ELSE list || ' ' || ? END"
                  + " WHERE k = ?")) {
        statement.setString(1, Long.toString(value));
        statement.setString(2, Long.toString(value));
        statement.setInt(3, key);
        if (statement.executeUpdate() != 1) {
          load.anomaly(name() + " finds no list " + key);
        }
      }
    }
  }
}
