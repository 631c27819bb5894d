package io.gauss.server.chaos;

import io.gauss.common.history.History.Outcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Clients that count in a row of their own and write each number down: what was acknowledged is
 * there, what failed before COMMIT is not. They commit most often, so that gaps show.
 */
final class Counters {
  private static final int THINK_MS = 10;

  private final Load load;
  private final Map<Integer, Told> told = new ConcurrentHashMap<>(); // by node

  /** What one node's client was told, over all rounds. */
  private static final class Told {
    private final BitSet acknowledged = new BitSet();
    private final BitSet open = new BitSet();
    private final BitSet aborted = new BitSet();
  }

  Counters(Load load) {
    this.load = load;
  }

  List<String> tables() {
    List<String> tables = new ArrayList<>();
    tables.add("CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL)");
    // A number of an attempt is written once, whatever becomes of it.
    tables.add("CREATE TABLE ledger (id int, t int, n int NOT NULL, PRIMARY KEY (id, t))");
    tables.add("CREATE INDEX ledger_n ON ledger (n)");
    for (int node : load.servers().possibleComputeNodes()) {
      tables.add("INSERT INTO counter VALUES (" + node + ", 0)");
      told.put(node, new Told());
    }
    return tables;
  }

  Client client(int node, SplittableRandom random) {
    return new CounterClient(node, random);
  }

  void check(int node, Connection connection) throws SQLException {
    for (Map.Entry<Integer, Told> each : told.entrySet()) {
      check("node " + node, connection, each.getKey(), each.getValue());
    }
  }

  private void check(String where, Connection connection, int id, Told own) throws SQLException {
    BitSet there = new BitSet();
    for (String row : Load.rows(connection, "SELECT t FROM ledger WHERE id = " + id)) {
      there.set(Integer.parseInt(row));
    }
    BitSet missing = (BitSet) own.acknowledged.clone();
    missing.andNot(there);
    load.lost(missing.cardinality(), where + " lacks increments " + missing + " of client " + id);
    BitSet undead = (BitSet) there.clone();
    undead.andNot(own.acknowledged);
    undead.andNot(own.open);
    if (!undead.isEmpty()) {
      load.anomaly(where + " has increments of client " + id + " that were refused: " + undead);
    }
    long count = Load.number(connection, "SELECT n FROM counter WHERE id = " + id);
    if (count != there.cardinality()) {
      load.anomaly(
          "%s: counter %d is at %d, with %d increments written down"
              .formatted(where, id, count, there.cardinality()));
    }
  }

  private final class CounterClient extends Client {
    private final Told own;
    private int attempt;

    CounterClient(int node, SplittableRandom random) {
      super(Counters.this.load, node, "counters", random);
      this.own = told.get(node);
      this.attempt =
          Math.max(own.acknowledged.length(), Math.max(own.open.length(), own.aborted.length()));
    }

    @Override
    int thinkMillis() {
      return THINK_MS;
    }

    @Override
    void once(Connection connection) throws SQLException {
      int t = attempt++;
      int least = own.acknowledged.cardinality() + 1;
      int most = least + own.open.cardinality();
      Outcome outcome =
          transaction(
              connection,
              each -> {
                int n = increment(each);
                if (n < least || n > most) {
                  load.anomaly(
                      "%s counts %d, with %d to %d acknowledged"
                          .formatted(name(), n, least - 1, most - 1));
                }
                write(each, t, n);
              });
      switch (outcome) {
        case COMMITTED -> own.acknowledged.set(t);
        case OPEN -> own.open.set(t);
        case ABORTED -> own.aborted.set(t);
      }
    }

    private int increment(Connection connection) throws SQLException {
      try (PreparedStatement statement =
          connection.prepareStatement("UPDATE counter SET n = n + 1 WHERE id = ? RETURNING n")) {
        statement.setInt(1, node());
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          return row.getInt(1);
        }
      }
    }

    private void write(Connection connection, int t, int n) throws SQLException {
      try (PreparedStatement statement =
          connection.prepareStatement("INSERT INTO ledger VALUES (?, ?, ?)")) {
        statement.setInt(1, node());
        statement.setInt(2, t);
        statement.setInt(3, n);
        statement.executeUpdate();
      }
    }
  }
}
