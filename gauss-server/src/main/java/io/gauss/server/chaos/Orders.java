package io.gauss.server.chaos;

import io.gauss.common.history.History.Outcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A small trade after TPC-C: orders with lines, payments, deliveries, and TPC-C's consistency
 * conditions 1 to 4 (revision 5.11, clause 3.3.2).
 */
final class Orders {
  private static final int WAREHOUSES = 2;
  private static final int DISTRICTS = 3;
  private static final int THINK_MS = 40;

  static final List<String> TABLES =
      List.of(
          "CREATE TABLE warehouse (w int PRIMARY KEY, ytd int NOT NULL)",
          "CREATE TABLE district (w int REFERENCES warehouse, d int, next_o int NOT NULL,"
              + " ytd int NOT NULL, PRIMARY KEY (w, d))",
          "CREATE TABLE orders (w int, d int, o int, lines int NOT NULL, PRIMARY KEY (w, d, o),"
              + " FOREIGN KEY (w, d) REFERENCES district)",
          "CREATE TABLE new_order (w int, d int, o int, PRIMARY KEY (w, d, o),"
              + " FOREIGN KEY (w, d, o) REFERENCES orders)",
          "CREATE TABLE order_line (w int, d int, o int, n int, quantity int NOT NULL,"
              + " PRIMARY KEY (w, d, o, n), FOREIGN KEY (w, d, o) REFERENCES orders)",
          "INSERT INTO warehouse SELECT g, 0 FROM generate_series(1, " + WAREHOUSES + ") AS g",
          "INSERT INTO district SELECT w, d, 1, 0 FROM generate_series(1, "
              + WAREHOUSES
              + ") AS w, generate_series(1, "
              + DISTRICTS
              + ") AS d");

  /** What must not be: the number of rows that break a condition. */
  private static final List<String> VIOLATIONS =
      List.of(
          "SELECT count(*) FROM warehouse JOIN (SELECT w, sum(ytd) AS paid FROM district GROUP BY"
              + " w) AS s ON s.w = warehouse.w WHERE warehouse.ytd <> s.paid",
          "SELECT count(*) FROM district JOIN (SELECT w, d, max(o) AS newest, count(*) AS held"
              + " FROM orders GROUP BY w, d) AS s ON s.w = district.w AND s.d = district.d"
              + " WHERE next_o - 1 <> newest OR newest <> held",
          "SELECT count(*) FROM (SELECT w, d, max(o) - min(o) + 1 AS span, count(*) AS held"
              + " FROM new_order GROUP BY w, d) AS s WHERE span <> held",
          "SELECT count(*) FROM orders JOIN (SELECT w, d, o, count(*) AS held FROM order_line"
              + " GROUP BY w, d, o) AS s ON s.w = orders.w AND s.d = orders.d AND s.o = orders.o"
              + " WHERE lines <> held",
          "SELECT count(*) FROM orders WHERE NOT EXISTS (SELECT 1 FROM order_line AS l"
              + " WHERE l.w = orders.w AND l.d = orders.d AND l.o = orders.o)");

  private final Load load;
  private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

  Orders(Load load) {
    this.load = load;
  }

  Client client(int node, SplittableRandom random) {
    return new OrderClient(node, random);
  }

  void check(int node, Connection connection) throws SQLException {
    for (String query : VIOLATIONS) {
      long count = Load.number(connection, query);
      if (count != 0) {
        load.anomaly("node " + node + ": " + count + " rows of " + query);
      }
    }
    List<String> there = Load.rows(connection, "SELECT w, d, o FROM orders");
    Set<String> missing = ConcurrentHashMap.newKeySet();
    missing.addAll(acknowledged);
    there.forEach(missing::remove);
    load.lost(missing.size(), "node " + node + " lacks orders " + missing);
  }

  private final class OrderClient extends Client {
    OrderClient(int node, SplittableRandom random) {
      super(Orders.this.load, node, "orders", random);
    }

    @Override
    int thinkMillis() {
      return THINK_MS;
    }

    @Override
    void once(Connection connection) throws SQLException {
      int w = 1 + random.nextInt(WAREHOUSES);
      int d = 1 + random.nextInt(DISTRICTS);
      switch (random.nextInt(5)) {
        case 0 -> transaction(connection, each -> deliver(each, w, d));
        case 1 -> {
          int amount = 1 + random.nextInt(50);
          transaction(connection, each -> pay(each, w, d, amount));
        }
        default -> {
          int lines = 1 + random.nextInt(5);
          int[] number = new int[1];
          Outcome outcome = transaction(connection, each -> number[0] = order(each, w, d, lines));
          if (outcome == Outcome.COMMITTED) {
            acknowledged.add(w + " " + d + " " + number[0]);
          }
        }
      }
    }

    private int order(Connection connection, int w, int d, int lines) throws SQLException {
      int o;
      try (PreparedStatement next =
          connection.prepareStatement(
              "UPDATE district SET next_o = next_o + 1 WHERE w = ? AND d = ?"
                  + " RETURNING next_o - 1")) {
        next.setInt(1, w);
        next.setInt(2, d);
        try (ResultSet row = next.executeQuery()) {
          row.next();
          o = row.getInt(1);
        }
      }
      execute(connection, "INSERT INTO orders VALUES (?, ?, ?, ?)", w, d, o, lines);
      execute(connection, "INSERT INTO new_order VALUES (?, ?, ?)", w, d, o);
      for (int n = 1; n <= lines; n++) {
        execute(connection, "INSERT INTO order_line VALUES (?, ?, ?, ?, ?)", w, d, o, n, n * 2);
      }
      return o;
    }

    private void pay(Connection connection, int w, int d, int amount) throws SQLException {
      execute(connection, "UPDATE warehouse SET ytd = ytd + ? WHERE w = ?", amount, w);
      execute(connection, "UPDATE district SET ytd = ytd + ? WHERE w = ? AND d = ?", amount, w, d);
    }

    private void deliver(Connection connection, int w, int d) throws SQLException {
      execute(
          connection,
          "DELETE FROM new_order WHERE w = ? AND d = ?"
              + " AND o = (SELECT min(o) FROM new_order WHERE w = ? AND d = ?)",
          w,
          d,
          w,
          d);
    }

    private void execute(Connection connection, String sql, int... values) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        for (int i = 0; i < values.length; i++) {
          statement.setInt(i + 1, values[i]);
        }
        statement.executeUpdate();
      }
    }
  }
}
