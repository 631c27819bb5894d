package io.gauss.bench.tpcb;

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
 * TPC-B as pgbench runs it: account, teller and branch are drawn independently of each other, so
 * that no node is better for a transaction than another.
 */
public final class TpcbWorkload implements Workload {
  private static final int TELLERS = 10;
  private static final int BATCH = 1000;
  private static final int MOST_CHANGE = 5000;

  /** Tables with a balance of each row. */
  private static final List<String> BALANCES =
      List.of(
          "SELECT sum(abalance) FROM pgbench_accounts",
          "SELECT sum(tbalance) FROM pgbench_tellers",
          "SELECT sum(bbalance) FROM pgbench_branches");

  private final int branches;
  private final int accounts;

  /**
   * @param branches each with ten tellers
   * @param accounts of each branch; 100,000 in TPC-B
   */
  public TpcbWorkload(int branches, int accounts) {
    this.branches = branches;
    this.accounts = accounts;
  }

  @Override
  public String name() {
    return "tpcb";
  }

  @Override
  public List<String> kinds() {
    return List.of("tpcb");
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String table : List.of("history", "accounts", "tellers", "branches")) {
        statement.execute("DROP TABLE IF EXISTS pgbench_" + table);
      }
      statement.execute(
          "CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int, filler char(88))");
      statement.execute(
          "CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int,"
              + " filler char(84))");
      statement.execute(
          "CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, abalance int,"
              + " filler char(84))");
      statement.execute(
          "CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp,"
              + " filler char(22))");
    }
  }

  @Override
  public int loadParts() {
    return branches;
  }

  @Override
  public void loadPart(Connection connection, int part, SplittableRandom random)
      throws SQLException {
    int branch = part + 1;
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO pgbench_branches VALUES (?, 0, '')")) {
      insert.setInt(1, branch);
      insert.executeUpdate();
    }
    fill(connection, "pgbench_tellers", branch, TELLERS);
    fill(connection, "pgbench_accounts", branch, accounts);
  }

  private static void fill(Connection connection, String table, int branch, int rows)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO " + table + " VALUES (?, ?, 0, '')")) {
      for (int row = 1; row <= rows; row++) {
        insert.setInt(1, (branch - 1) * rows + row);
        insert.setInt(2, branch);
        insert.addBatch();
        if (row % BATCH == 0 || row == rows) {
          insert.executeBatch();
          connection.commit();
        }
      }
    }
  }

  @Override
  public void finishLoad(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("ANALYZE");
    }
  }

  @Override
  public boolean isLoaded(Connection connection) {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT (SELECT count(*) FROM pgbench_branches),"
                    + " (SELECT count(*) FROM pgbench_accounts)")) {
      return rows.next()
          && rows.getInt(1) == branches
          && rows.getLong(2) == (long) branches * accounts;
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public Terminal newTerminal(Connection connection, int id, SplittableRandom random)
      throws SQLException {
    connection.setAutoCommit(false);
    return new TpcbTerminal(connection, random);
  }

  /** Every change is in all three kinds of balances and in the history. */
  @Override
  public List<String> violations(Connection connection) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      long changes = single(statement, "SELECT coalesce(sum(delta), 0) FROM pgbench_history");
      for (String query : BALANCES) {
        long balances = single(statement, query);
        if (balances != changes) {
          found.add("%s is %d, the history says %d".formatted(query, balances, changes));
        }
      }
    }
    return found;
  }

  private static long single(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  private final class TpcbTerminal implements Terminal {
    private final Connection connection;
    private final SplittableRandom random;
    private final PreparedStatement account;
    private final PreparedStatement balance;
    private final PreparedStatement teller;
    private final PreparedStatement branch;
    private final PreparedStatement history;

    TpcbTerminal(Connection connection, SplittableRandom random) throws SQLException {
      this.connection = connection;
      this.random = random;
      account = update("pgbench_accounts SET abalance = abalance + ? WHERE aid = ?");
      balance = connection.prepareStatement("SELECT abalance FROM pgbench_accounts WHERE aid = ?");
      teller = update("pgbench_tellers SET tbalance = tbalance + ? WHERE tid = ?");
      branch = update("pgbench_branches SET bbalance = bbalance + ? WHERE bid = ?");
      history =
          connection.prepareStatement(
              "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime)"
                  + " VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP)");
    }

    private PreparedStatement update(String what) throws SQLException {
      return connection.prepareStatement("UPDATE " + what);
    }

    @Override
    public int runOne() throws SQLException {
      int aid = 1 + random.nextInt(branches * accounts);
      int tid = 1 + random.nextInt(branches * TELLERS);
      int bid = 1 + random.nextInt(branches);
      int delta = random.nextInt(-MOST_CHANGE, MOST_CHANGE + 1);
      add(account, delta, aid);
      balance.setInt(1, aid);
      try (ResultSet row = balance.executeQuery()) {
        row.next();
      }
      add(teller, delta, tid);
      add(branch, delta, bid);
      history.setInt(1, tid);
      history.setInt(2, bid);
      history.setInt(3, aid);
      history.setInt(4, delta);
      history.executeUpdate();
      connection.commit();
      return 0;
    }

    private static void add(PreparedStatement update, int delta, int id) throws SQLException {
      update.setInt(1, delta);
      update.setInt(2, id);
      update.executeUpdate();
    }

    @Override
    public int currentKind() {
      return 0;
    }
  }
}
