package io.gauss.compute.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.node.CheckedNode;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random transactions over tables with deferrable constraints, in Gauss and in PostgreSQL: counts,
 * errors and rows have to be the same. Which of several violated constraints is reported depends on
 * the order of rows, which differs, so all violations are taken for equal.
 *
 * <p>{@code gauss.seed} names another first round, {@code gauss.differential.rounds} how many.
 */
class DeferredConstraintsDifferentialTest {
  private static final long FIRST_SEED = Long.getLong("gauss.seed", 1);
  private static final int ROUNDS = Integer.getInteger("gauss.differential.rounds", 2);
  private static final int LONG_ROUNDS = Integer.getInteger("gauss.differential.rounds", 2_000);
  private static final int STATEMENTS = 80;
  private static final int IDS = 6;
  private static final String[] DEFERRALS = {
    "", "DEFERRABLE", "INITIALLY DEFERRED", "INITIALLY DEFERRED"
  };
  private static final String[] ACTIONS = {
    "", "", "", "ON DELETE CASCADE", "ON DELETE SET NULL", "ON DELETE RESTRICT ON UPDATE CASCADE"
  };

  private Random random;
  private int violations;
  private int commits;

  @Test
  void transactionsOfFixedSeedsEndAsInPostgres(@TempDir Path data) throws SQLException {
    compare(FIRST_SEED, ROUNDS, data);
  }

  @Test
  @Tag("long")
  void transactionsOfManySeedsEndAsInPostgres(@TempDir Path data) throws SQLException {
    compare(System.nanoTime(), LONG_ROUNDS, data);
  }

  private void compare(long firstSeed, int rounds, Path data) throws SQLException {
    String postgresUrl = ReferencePostgres.get().newDatabase();
    try (ComputeNode node =
        ComputeNode.start(
            NodeSettings.load(data, 0, Map.of("pool.size", "16MB")), new SimpleMeterRegistry())) {
      String url = "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss".formatted(node.port());
      for (int i = 0; i < rounds; i++) {
        long seed = firstSeed + i;
        String mode = seed % 2 == 0 ? "&preferQueryMode=simple" : "&preferQueryMode=extended";
        try (Connection gauss = DriverManager.getConnection(url + mode);
            Connection postgres = DriverManager.getConnection(postgresUrl + mode)) {
          round(seed, gauss, postgres);
        }
      }
      CheckedNode.check(node);
    }
    assertTrue(violations > rounds && commits > rounds, violations + ", " + commits);
  }

  private void round(long seed, Connection gauss, Connection postgres) throws SQLException {
    random = new Random(seed * 0x9E3779B97F4A7C15L);
    List<String> history = new ArrayList<>();
    List<String> all = new ArrayList<>(tables());
    for (int i = 0; i < STATEMENTS; i++) {
      all.add(next());
    }
    all.add("ROLLBACK");
    for (String sql : all) {
      String ours = answer(gauss, sql);
      String theirs = answer(postgres, sql);
      history.add(sql + " => " + theirs);
      violations += theirs.startsWith("23") ? 1 : 0;
      commits += sql.startsWith("COMMIT") && !theirs.startsWith("23") ? 1 : 0;
      String rows = "SELECT * FROM p ORDER BY id; SELECT id, pid, k, up FROM c ORDER BY id";
      ours += " " + rows(gauss, rows);
      theirs += " " + rows(postgres, rows);
      assertEquals(theirs, ours, () -> "-Dgauss.seed=" + seed + "\n" + String.join(";\n", history));
    }
  }

  private List<String> tables() {
    return List.of(
        "DROP TABLE IF EXISTS c, p",
        "CREATE TABLE p (id int PRIMARY KEY)",
        "CREATE TABLE c (id int PRIMARY KEY, pid int CONSTRAINT c_pid REFERENCES p %s %s,"
                .formatted(pick(ACTIONS), pick(DEFERRALS))
            + " k int CONSTRAINT c_k UNIQUE %s,".formatted(DEFERRALS[1 + random.nextInt(3)])
            + " up int CONSTRAINT c_up REFERENCES c %s)".formatted(pick(DEFERRALS)),
        "INSERT INTO p SELECT g FROM generate_series(1, 3) g",
        "INSERT INTO c SELECT g, g, g, 1 FROM generate_series(1, 3) g");
  }

  private String next() {
    return switch (random.nextInt(32)) {
      case 0, 1, 2, 3 -> "BEGIN";
      case 4, 5, 6 -> "COMMIT";
      case 7 -> random.nextBoolean() ? "ROLLBACK" : "COMMIT AND CHAIN";
      case 8, 9 -> "SAVEPOINT " + savepoint();
      case 10, 11 -> "ROLLBACK TO " + savepoint();
      case 12 -> "RELEASE " + savepoint();
      case 13, 14 -> "SET CONSTRAINTS " + constraints() + " IMMEDIATE";
      case 15, 16 -> "SET CONSTRAINTS " + constraints() + " DEFERRED";
      case 17 -> change() + "; " + change();
      default -> change();
    };
  }

  private String savepoint() {
    return random.nextBoolean() ? "a" : "b";
  }

  private String constraints() {
    return pick("ALL", "c_pid", "c_k", "c_up", "c_k, c_up", "c_pid, c_up");
  }

  private String change() {
    return switch (random.nextInt(14)) {
      case 0, 1 -> "INSERT INTO p VALUES (%d)".formatted(id());
      case 2, 3, 4 -> "INSERT INTO c VALUES " + row();
      case 5 -> "INSERT INTO c VALUES %s, %s".formatted(row(), row());
      case 6 -> "UPDATE c SET pid = %s WHERE %s".formatted(idOrNull(), some());
      case 7 -> "UPDATE c SET k = k + 1";
      case 8 -> "UPDATE c SET k = %s WHERE %s".formatted(idOrNull(), some());
      case 9 -> "UPDATE c SET up = %s WHERE %s".formatted(idOrNull(), some());
      case 10 -> "UPDATE c SET id = %d WHERE id = %d".formatted(id(), id());
      case 11 -> "UPDATE p SET id = %d WHERE id = %d".formatted(id(), id());
      case 12 -> "DELETE FROM c WHERE " + some();
      default -> "DELETE FROM p WHERE " + some();
    };
  }

  private String row() {
    return "(%d, %s, %s, %s)".formatted(id(), idOrNull(), idOrNull(), idOrNull());
  }

  private String some() {
    return random.nextInt(3) == 0 ? "id > " + id() : "id = " + id();
  }

  private int id() {
    return 1 + random.nextInt(IDS);
  }

  private String idOrNull() {
    return random.nextInt(4) == 0 ? "NULL" : Integer.toString(id());
  }

  private String pick(String... of) {
    return of[random.nextInt(of.length)];
  }

  /** The number of rows, or the class of the error. */
  private static String answer(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
      return Integer.toString(statement.getUpdateCount());
    } catch (SQLException e) {
      String state = e.getSQLState();
      return state.startsWith("23") ? "23" : state;
    }
  }

  private static String rows(Connection connection, String sql) throws SQLException {
    StringBuilder rows = new StringBuilder();
    try (Statement statement = connection.createStatement()) {
      boolean isResult = statement.execute(sql);
      while (isResult) {
        try (var result = statement.getResultSet()) {
          while (result.next()) {
            rows.append('(');
            for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
              rows.append(i == 1 ? "" : " ").append(result.getString(i));
            }
            rows.append(')');
          }
        }
        rows.append(' ');
        isResult = statement.getMoreResults();
      }
      return rows.toString();
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }
}
