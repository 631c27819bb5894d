package io.gauss.bench.micro;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Measures the cost of a whole statement through gauss-jdbc and through pgjdbc: the same prepared
 * SELECT of one row by its key, in autocommit mode, alternately on a connection of each, so that
 * other load on the machine affects both equally. Both connections should lead to the same node.
 *
 * <p>{@code DriverOverhead jdbc:postgresql://... jdbc:gauss://...?routing.mode=... [calls]};
 * creates and drops the table {@code driver_overhead}.
 */
public final class DriverOverhead {
  private static final int ROWS = 1000;
  private static final int CALLS = 200_000;
  private static final long LONGEST_NANOS = 10_000_000_000L;
  private static final double NANOS_PER_MICRO = 1e3;

  private DriverOverhead() {}

  /** See the class. */
  public static void main(String[] arguments) throws SQLException {
    int calls = arguments.length > 2 ? Integer.parseInt(arguments[2]) : CALLS;
    try (Connection plain = DriverManager.getConnection(arguments[0]);
        Connection routed = DriverManager.getConnection(arguments[1])) {
      execute(plain, "DROP TABLE IF EXISTS driver_overhead");
      execute(plain, "CREATE TABLE driver_overhead (id int PRIMARY KEY, v int)");
      execute(
          plain, "INSERT INTO driver_overhead SELECT i, i FROM generate_series(1, " + ROWS + ") i");
      compare(plain, routed, calls / 4); // warms up
      Histogram[] times = compare(plain, routed, calls);
      print("pgjdbc", times[0]);
      print("gauss-jdbc", times[1]);
      execute(plain, "DROP TABLE driver_overhead");
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Histogram[] compare(Connection plain, Connection routed, int calls)
      throws SQLException {
    Histogram[] times = {new Histogram(LONGEST_NANOS, 3), new Histogram(LONGEST_NANOS, 3)};
    String sql = "SELECT v FROM driver_overhead WHERE id = ?";
    try (PreparedStatement one = plain.prepareStatement(sql);
        PreparedStatement other = routed.prepareStatement(sql)) {
      for (int i = 0; i < calls; i++) {
        times[0].recordValue(call(one, 1 + i % ROWS));
        times[1].recordValue(call(other, 1 + i % ROWS));
      }
    }
    return times;
  }

  private static long call(PreparedStatement statement, int id) throws SQLException {
    long begun = System.nanoTime();
    statement.setInt(1, id);
    try (ResultSet rows = statement.executeQuery()) {
      rows.next();
      if (rows.getInt(1) != id) {
        throw new SQLException("row " + id + " is wrong", "XX000");
      }
    }
    return System.nanoTime() - begun;
  }

  private static void print(String driver, Histogram times) {
    System.out.printf(
        Locale.ROOT,
        "%-10s p50 %8.1f us, p99 %8.1f us, mean %8.1f us%n",
        driver,
        times.getValueAtPercentile(50) / NANOS_PER_MICRO,
        times.getValueAtPercentile(99) / NANOS_PER_MICRO,
        times.getMean() / NANOS_PER_MICRO);
  }
}
