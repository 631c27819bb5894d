package io.gauss.bench.sysbench;

import io.gauss.bench.Workload;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The oltp_* tests of sysbench 1.0 with their default shapes, over JDBC: tables sbtest1, sbtest2
 * and so on.
 */
public final class SysbenchWorkload implements Workload {
  private static final int BATCH = 500;
  private static final int RANGE = 100;
  private static final int POINT_SELECTS = 10;

  public static final List<String> TESTS =
      List.of(
          "point_select",
          "read_only",
          "read_write",
          "write_only",
          "update_index",
          "update_non_index",
          "insert",
          "delete");

  private final String test;
  private final int tables;
  private final int tableSize;

  public SysbenchWorkload(String test, int tables, int tableSize) {
    if (!TESTS.contains(test)) {
      throw new IllegalArgumentException("test " + test + ": known are " + TESTS);
    }
    this.test = test;
    this.tables = tables;
    this.tableSize = tableSize;
  }

  @Override
  public String name() {
    return "sysbench-" + test;
  }

  @Override
  public List<String> kinds() {
    return List.of(test);
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (int t = 1; t <= tables; t++) {
        statement.execute("DROP TABLE IF EXISTS sbtest" + t);
        statement.execute(
            "CREATE TABLE sbtest"
                + t
                + " (id serial, k int DEFAULT 0 NOT NULL, c char(120) DEFAULT '' NOT NULL,"
                + " pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY (id))");
      }
    }
  }

  @Override
  public int loadParts() {
    return tables;
  }

  @Override
  public void loadPart(Connection connection, int part, SplittableRandom random)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO sbtest" + (part + 1) + " (k, c, pad) VALUES (?, ?, ?)")) {
      for (int i = 1; i <= tableSize; i++) {
        insert.setInt(1, 1 + random.nextInt(tableSize));
        insert.setString(2, digits(random, 10));
        insert.setString(3, digits(random, 5));
        insert.addBatch();
        if (i % BATCH == 0 || i == tableSize) {
          insert.executeBatch();
          connection.commit();
        }
      }
    }
  }

  /** Groups of eleven digits with dashes between, as sysbench makes them. */
  private static String digits(SplittableRandom random, int groups) {
    StringBuilder text = new StringBuilder(groups * 12);
    for (int g = 0; g < groups; g++) {
      if (g > 0) {
        text.append('-');
      }
      for (int i = 0; i < 11; i++) {
        text.append((char) ('0' + random.nextInt(10)));
      }
    }
    return text.toString();
  }

  @Override
  public void finishLoad(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (int t = 1; t <= tables; t++) {
        statement.execute("CREATE INDEX k_" + t + " ON sbtest" + t + " (k)");
      }
      statement.execute("ANALYZE");
    }
  }

  @Override
  public boolean isLoaded(Connection connection) {
    try (Statement statement = connection.createStatement()) {
      for (int t = 1; t <= tables; t++) {
        try (ResultSet rows = statement.executeQuery("SELECT max(id) FROM sbtest" + t)) {
          if (!rows.next() || rows.getInt(1) < tableSize) {
            return false;
          }
        }
      }
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public Terminal newTerminal(Connection connection, int id, SplittableRandom random)
      throws SQLException {
    boolean transaction =
        test.equals("read_only") || test.equals("read_write") || test.equals("write_only");
    connection.setAutoCommit(!transaction);
    return new SysbenchTerminal(connection, random, transaction);
  }

  @Override
  public List<String> violations(Connection connection) throws SQLException {
    List<String> found = new ArrayList<>();
    if (test.equals("insert") || test.equals("delete")) {
      return found;
    }
    try (Statement statement = connection.createStatement()) {
      for (int t = 1; t <= tables; t++) {
        try (ResultSet rows = statement.executeQuery("SELECT count(*) FROM sbtest" + t)) {
          rows.next();
          if (rows.getInt(1) < tableSize) {
            found.add("sbtest" + t + " has " + rows.getInt(1) + " rows of " + tableSize);
          }
        }
      }
    }
    return found;
  }

  /** Statements of one table. */
  private static final class TableStatements {
    final PreparedStatement point;
    final PreparedStatement range;
    final PreparedStatement sum;
    final PreparedStatement ordered;
    final PreparedStatement distinct;
    final PreparedStatement updateIndex;
    final PreparedStatement updateNonIndex;
    final PreparedStatement delete;
    final PreparedStatement insert;
    final PreparedStatement append;

    TableStatements(Connection c, int t) throws SQLException {
      String table = "sbtest" + t;
      point = c.prepareStatement("SELECT c FROM " + table + " WHERE id=?");
      range = c.prepareStatement("SELECT c FROM " + table + " WHERE id BETWEEN ? AND ?");
      sum = c.prepareStatement("SELECT SUM(k) FROM " + table + " WHERE id BETWEEN ? AND ?");
      ordered =
          c.prepareStatement("SELECT c FROM " + table + " WHERE id BETWEEN ? AND ? ORDER BY c");
      distinct =
          c.prepareStatement(
              "SELECT DISTINCT c FROM " + table + " WHERE id BETWEEN ? AND ? ORDER BY c");
      updateIndex = c.prepareStatement("UPDATE " + table + " SET k=k+1 WHERE id=?");
      updateNonIndex = c.prepareStatement("UPDATE " + table + " SET c=? WHERE id=?");
      delete = c.prepareStatement("DELETE FROM " + table + " WHERE id=?");
      insert = c.prepareStatement("INSERT INTO " + table + " (id, k, c, pad) VALUES (?, ?, ?, ?)");
      append = c.prepareStatement("INSERT INTO " + table + " (k, c, pad) VALUES (?, ?, ?)");
    }
  }

  private final class SysbenchTerminal implements Terminal {
    private final Connection connection;
    private final SplittableRandom random;
    private final boolean transaction;
    private final TableStatements[] statements = new TableStatements[tables];

    SysbenchTerminal(Connection connection, SplittableRandom random, boolean transaction)
        throws SQLException {
      this.connection = connection;
      this.random = random;
      this.transaction = transaction;
      for (int t = 0; t < tables; t++) {
        statements[t] = new TableStatements(connection, t + 1);
      }
    }

    @Override
    public int currentKind() {
      return 0;
    }

    private TableStatements table() {
      return statements[random.nextInt(tables)];
    }

    private int id() {
      return 1 + random.nextInt(tableSize);
    }

    @Override
    public int runOne() throws SQLException {
      switch (test) {
        case "point_select" -> point();
        case "read_only" -> reads();
        case "read_write" -> {
          reads();
          writes();
        }
        case "write_only" -> writes();
        case "update_index" -> updateIndex();
        case "update_non_index" -> updateNonIndex();
        case "insert" -> append();
        case "delete" -> delete(table(), id());
        default -> throw new IllegalStateException(test);
      }
      if (transaction) {
        connection.commit();
      }
      return 0;
    }

    private void point() throws SQLException {
      PreparedStatement s = table().point;
      s.setInt(1, id());
      drain(s);
    }

    private void reads() throws SQLException {
      for (int i = 0; i < POINT_SELECTS; i++) {
        point();
      }
      ranged(table().range);
      ranged(table().sum);
      ranged(table().ordered);
      ranged(table().distinct);
    }

    private void ranged(PreparedStatement s) throws SQLException {
      int from = id();
      s.setInt(1, from);
      s.setInt(2, from + RANGE - 1);
      drain(s);
    }

    private void writes() throws SQLException {
      updateIndex();
      updateNonIndex();
      TableStatements table = table();
      int id = id();
      delete(table, id);
      PreparedStatement s = table.insert;
      s.setInt(1, id);
      s.setInt(2, id());
      s.setString(3, digits(random, 10));
      s.setString(4, digits(random, 5));
      s.executeUpdate();
    }

    private void updateIndex() throws SQLException {
      PreparedStatement s = table().updateIndex;
      s.setInt(1, id());
      s.executeUpdate();
    }

    private void updateNonIndex() throws SQLException {
      PreparedStatement s = table().updateNonIndex;
      s.setString(1, digits(random, 10));
      s.setInt(2, id());
      s.executeUpdate();
    }

    private void append() throws SQLException {
      PreparedStatement s = table().append;
      s.setInt(1, id());
      s.setString(2, digits(random, 10));
      s.setString(3, digits(random, 5));
      s.executeUpdate();
    }

    private void delete(TableStatements table, int id) throws SQLException {
      table.delete.setInt(1, id);
      table.delete.executeUpdate();
    }

    private static void drain(PreparedStatement query) throws SQLException {
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          rows.getString(1);
        }
      }
    }
  }
}
