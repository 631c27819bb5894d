package io.gauss.bench.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Rows with ids given at random, as UUIDs are: a transaction reads and updates one of them. There
 * are far more ids than transactions in a run, so that most have never been seen, and rows were
 * inserted in another order than that of their ids, so that neighbouring ids are in page groups
 * that have nothing to do with each other. Units are ranges of ids.
 */
public final class RandomIds implements RoutedWorkload {
  private static final int UNITS = 60;
  private static final int PART_ROWS = 20_000;
  private static final int BATCH = 500;
  private static final long SEED = 42;

  private final int rows;

  /**
   * @param rows at least one
   */
  public RandomIds(int rows) {
    this.rows = rows;
  }

  /** The id of the i-th row: a mixed number is another one for each. */
  static long id(int i) {
    long z = (i + SEED) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return (z ^ (z >>> 31)) >>> 1;
  }

  /** The range of an id. */
  static int unit(long id) {
    return (int) Math.multiplyHigh(id, 2L * UNITS);
  }

  @Override
  public String name() {
    return "ids-at-random";
  }

  @Override
  public List<String> kinds() {
    return List.of("update");
  }

  @Override
  public int units() {
    return UNITS;
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS voucher");
      statement.execute(
          "CREATE TABLE voucher (id bigint PRIMARY KEY, points int NOT NULL, note varchar(60))");
    }
  }

  @Override
  public int loadParts() {
    return (rows + PART_ROWS - 1) / PART_ROWS;
  }

  @Override
  public void loadPart(Connection connection, int part, SplittableRandom random)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO voucher VALUES (?, 0, ?)")) {
      int end = Math.min(rows, (part + 1) * PART_ROWS);
      for (int i = part * PART_ROWS; i < end; i++) {
        insert.setLong(1, id(i));
        insert.setString(2, "row %d of those that were inserted".formatted(i));
        insert.addBatch();
        if ((i + 1) % BATCH == 0 || i == end - 1) {
          insert.executeBatch();
          connection.commit();
        }
      }
    }
  }

  @Override
  public void finishLoad(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("ANALYZE voucher");
    }
  }

  @Override
  public boolean isLoaded(Connection connection) {
    try {
      return count(connection) == rows;
    } catch (SQLException e) {
      return false;
    }
  }

  private static int count(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM voucher")) {
      row.next();
      return row.getInt(1);
    }
  }

  @Override
  public List<String> violations(Connection connection) throws SQLException {
    int found = count(connection);
    return found == rows ? List.of() : List.of("vouchers: " + found + " instead of " + rows);
  }

  @Override
  public Terminal newTerminal(Connection connection, int id, SplittableRandom random, UnitHint hint)
      throws SQLException {
    connection.setAutoCommit(false);
    return new VoucherTerminal(connection, random, hint);
  }

  private final class VoucherTerminal implements Terminal {
    private final Connection connection;
    private final SplittableRandom random;
    private final UnitHint hint;
    private final PreparedStatement read;
    private final PreparedStatement update;

    VoucherTerminal(Connection connection, SplittableRandom random, UnitHint hint)
        throws SQLException {
      this.connection = connection;
      this.random = random;
      this.hint = hint;
      this.read = connection.prepareStatement("SELECT points FROM voucher WHERE id = ?");
      this.update =
          connection.prepareStatement("UPDATE voucher SET points = points + 1 WHERE id = ?");
    }

    @Override
    public int runOne() throws SQLException {
      long id = id(random.nextInt(rows));
      hint.begins(unit(id));
      read.setLong(1, id);
      try (ResultSet row = read.executeQuery()) {
        row.next();
      }
      update.setLong(1, id);
      update.executeUpdate();
      connection.commit();
      return 0;
    }

    @Override
    public int currentKind() {
      return 0;
    }
  }
}
