package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.engine.Seeds;
import io.gauss.storage.node.StorageNodes;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A compute node dies while its sessions, and those of another one, change tables. */
@Tag("long")
@Timeout(600)
class DdlDeathsTest {
  private static final int SURVIVOR = 1;
  private static final int DEAD = 2;
  private static final int ROUNDS = Integer.getInteger("gauss.rounds", 6);
  private static final int ROWS = 500;

  /** Of the data, of its rows, and of DDL that two nodes do at the same time. */
  private static final Set<String> EXPECTED_ON_SURVIVOR =
      Set.of("40001", "40P01", "42701", "42703", "42P01", "42P07", "42704", "22003", "55P03");

  private static final String[] STATEMENTS = {
    "CREATE INDEX i_%1$d ON %2$s (v)",
    "DROP INDEX IF EXISTS i_%1$d",
    "ALTER TABLE %2$s ADD COLUMN c%1$d int DEFAULT 7",
    "ALTER TABLE %2$s DROP COLUMN IF EXISTS c%1$d",
    "ALTER TABLE %2$s ALTER COLUMN v TYPE bigint",
    "ALTER TABLE %2$s ALTER COLUMN v TYPE int",
    "CREATE TABLE n%1$d AS SELECT * FROM %2$s",
    "DROP TABLE IF EXISTS n%1$d",
    "CREATE TEMPORARY TABLE t%1$d (id int PRIMARY KEY, v text UNIQUE)",
    "TRUNCATE n%1$d",
    "UPDATE %2$s SET v = v + 1 WHERE id %% 7 = %1$d",
  };

  @Test
  void whateverADeathCutsOffIsGoneOrWhole(@TempDir Path directory) throws Exception {
    Random random = new Random(Seeds.next());
    ExecutorService sessions = Executors.newCachedThreadPool();
    try (WholeCluster cluster = new WholeCluster(directory, 1, 1, 2, Map.of())) {
      OneNode survivor = cluster.compute(SURVIVOR);
      for (String table : List.of("one", "two")) {
        survivor.execute(
            "CREATE TABLE " + table + " (id int PRIMARY KEY, v int)",
            "INSERT INTO " + table + " SELECT g, g FROM generate_series(1, " + ROWS + ") AS g");
      }
      for (int round = 0; round < ROUNDS; round++) {
        Future<?> cutOff = session(sessions, cluster.compute(DEAD), "one", random.nextLong());
        Future<?> other = session(sessions, cluster.compute(DEAD), "two", random.nextLong());
        Future<?> own = session(sessions, survivor, "two", random.nextLong());
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100 + random.nextInt(900)));
        cluster.kill(DEAD);
        cutOff.get(60, TimeUnit.SECONDS);
        other.get(60, TimeUnit.SECONDS);
        own.get(120, TimeUnit.SECONDS);
        check(survivor, "after round " + round);
        cluster.start(DEAD);
        check(cluster.compute(DEAD), "on the node that came back, round " + round);
      }
      StorageNodes.await(
          "no page is lost", () -> WholeCluster.pages(survivor.node).find().isEmpty());
    } finally {
      sessions.shutdownNow();
    }
  }

  private static void check(OneNode node, String when) throws SQLException {
    for (String table : List.of("one", "two")) {
      assertEquals(
          List.of("" + ROWS), node.query("SELECT count(id) FROM " + table), table + " " + when);
    }
    assertEquals(
        List.of(),
        node.query("SELECT name, problem FROM gauss.store_check WHERE problem IS NOT NULL"),
        when);
    // The primary key's tree is the table.
    String trees =
        "SELECT (SELECT count(*) FROM pg_class WHERE relkind = 'r' AND oid >= 16384)"
            + " + (SELECT count(*) FROM pg_index WHERE NOT indisprimary AND indrelid >= 16384)";
    StorageNodes.await(
        "each tree belongs to a table " + when,
        () -> count(node, trees) == WholeCluster.pages(node.node).spaces().size());
  }

  private static int count(OneNode node, String query) {
    try {
      return Integer.parseInt(node.query(query).get(0));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Statements until the node is gone, or enough of them; each may fail for the others' sake. */
  private static Future<?> session(
      ExecutorService sessions, OneNode node, String table, long seed) {
    boolean survives = node.node.transactions().node() == SURVIVOR;
    return sessions.submit(
        () -> {
          Random random = new Random(seed);
          try (Connection connection = node.connect();
              Statement statement = connection.createStatement()) {
            for (int i = 0; i < 40; i++) {
              String text = STATEMENTS[random.nextInt(STATEMENTS.length)];
              try {
                statement.execute(text.formatted(random.nextInt(3), table));
              } catch (SQLException e) {
                if (survives && !isExpected(e)) {
                  throw e;
                }
              }
            }
          } catch (SQLException e) {
            if (survives) {
              throw e; // the other one has lost its connection
            }
          }
          return null;
        });
  }

  private static boolean isExpected(SQLException e) {
    return EXPECTED_ON_SURVIVOR.contains(e.getSQLState());
  }
}
