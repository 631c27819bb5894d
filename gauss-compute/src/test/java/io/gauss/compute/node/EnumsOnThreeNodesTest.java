package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import io.gauss.compute.txn.WaitCounts;
import io.gauss.storage.node.StorageNodes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Enum types that one of three compute nodes changes while all of them use it. */
@Timeout(120)
class EnumsOnThreeNodesTest extends OnThreeNodes {
  @Test
  void aLabelIsKnownEverywhereWhenItsTransactionHasCommitted() throws Exception {
    cluster
        .compute(1)
        .execute(
            "CREATE TYPE grade AS ENUM ('m')",
            "CREATE TABLE graded (g grade PRIMARY KEY, n int)",
            "INSERT INTO graded VALUES ('m', 0)");
    Random random = new Random(Seeds.next());
    List<String> twin = new ArrayList<>(List.of("m"));
    try (Connection prepared = cluster.compute(3).connect();
        PreparedStatement insert =
            prepared.prepareStatement("INSERT INTO graded VALUES (?::grade, ?)")) {
      for (int i = 1; i <= 15; i++) {
        int index = random.nextInt(twin.size() + 1);
        String label = "g" + i;
        String place =
            index == twin.size()
                ? " AFTER '" + twin.getLast() + "'"
                : " BEFORE '" + twin.get(index) + "'";
        cluster
            .compute(i % NODES + 1)
            .execute("ALTER TYPE grade ADD VALUE '" + label + "'" + place);
        twin.add(index, label);
        if (i % 2 == 0) {
          cluster
              .compute((i + 1) % NODES + 1)
              .execute("INSERT INTO graded VALUES ('" + label + "', " + i + ")");
        } else {
          insert.setString(1, label);
          insert.setInt(2, i);
          insert.executeUpdate();
        }
        int reader = (i + 2) % NODES + 1;
        assertEquals(
            twin, cluster.compute(reader).query("SELECT g FROM graded ORDER BY g"), "round " + i);
      }
    }
    cluster.compute(2).execute("ALTER TYPE grade RENAME VALUE 'm' TO 'middle'");
    assertEquals(List.of("0"), cluster.compute(3).query("SELECT n FROM graded WHERE g = 'middle'"));
    cluster.compute(3).execute("ALTER TYPE grade RENAME TO note");
    assertEquals(
        List.of("note"), cluster.compute(1).query("SELECT pg_typeof(g) FROM graded LIMIT 1"));
    SQLException needed =
        assertThrows(SQLException.class, () -> cluster.compute(2).execute("DROP TYPE note"));
    assertEquals("2BP01", needed.getSQLState());
    cluster.compute(2).execute("DROP TYPE note CASCADE");
    assertEquals(List.of("16"), cluster.compute(1).query("SELECT count(*) FROM graded"));
  }

  @Test
  void rowsWithNewLabelsAreReadWhileTheyAreAdded() throws Exception {
    cluster
        .compute(1)
        .execute(
            "CREATE TYPE step AS ENUM ('s0')",
            "CREATE TABLE steps (n int PRIMARY KEY, s step)",
            "INSERT INTO steps VALUES (0, 's0')");
    int labels = 25;
    AtomicBoolean done = new AtomicBoolean();
    List<Future<?>> readers = new ArrayList<>();
    for (int number : cluster.numbers()) {
      readers.add(
          clients.submit(
              () -> {
                try (Connection connection = cluster.compute(number).connect();
                    PreparedStatement all =
                        connection.prepareStatement("SELECT n, s FROM steps ORDER BY s DESC")) {
                  while (!done.get()) {
                    try (ResultSet rows = all.executeQuery()) {
                      int before = Integer.MAX_VALUE;
                      while (rows.next()) {
                        assertEquals("s" + rows.getInt(1), rows.getString(2));
                        assertTrue(rows.getInt(1) < before);
                        before = rows.getInt(1);
                      }
                    }
                  }
                }
                return null;
              }));
    }
    try (Connection one = cluster.compute(1).connect();
        Connection two = cluster.compute(2).connect();
        Statement adds = one.createStatement();
        Statement inserts = two.createStatement()) {
      for (int i = 1; i <= labels; i++) {
        adds.execute("ALTER TYPE step ADD VALUE 's" + i + "'");
        inserts.execute("INSERT INTO steps VALUES (" + i + ", 's" + i + "')");
      }
    } finally {
      done.set(true);
    }
    for (Future<?> reader : readers) {
      reader.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void whoMakesATableOfATypeKeepsItFromBeingDropped() throws Exception {
    cluster.compute(1).execute("CREATE TYPE kept AS ENUM ('a')");
    try (Connection maker = cluster.compute(2).connect();
        Statement makes = maker.createStatement()) {
      maker.setAutoCommit(false);
      makes.execute("CREATE TABLE of_kept (k kept)");
      // Others may add labels meanwhile; behind somebody who waits to drop the type they wait, too.
      cluster.compute(1).execute("ALTER TYPE kept ADD VALUE 'b'");
      Future<String> dropper =
          clients.submit(
              () -> {
                try {
                  cluster.compute(3).execute("DROP TYPE kept");
                  return "dropped";
                } catch (SQLException e) {
                  return e.getSQLState();
                }
              });
      maker.commit();
      assertEquals("2BP01", dropper.get(60, TimeUnit.SECONDS));
    }
    cluster.compute(3).execute("INSERT INTO of_kept VALUES ('b')");
    cluster.compute(1).execute("DROP TABLE of_kept", "DROP TYPE kept");
  }

  /** As in PostgreSQL, an array type gives its name up to a table; others may change the type. */
  @Test
  void aTableThatTakesTheNameOfAnArrayTypeUndoesNoChangeOfTheType() throws Exception {
    cluster.compute(1).execute("CREATE TYPE hue AS ENUM ('red')", "CREATE TYPE gone AS ENUM ('a')");
    assertEquals(
        "00000", whileOneChanges("ALTER TYPE hue ADD VALUE 'blue'", "CREATE TABLE _hue (h hue)"));
    cluster.compute(1).execute("INSERT INTO _hue VALUES ('blue')");
    assertEquals(List.of("blue"), cluster.compute(2).query("SELECT h FROM _hue"));
    assertEquals("00000", whileOneChanges("DROP TYPE gone", "CREATE TABLE _gone (n int)"));
    assertEquals(
        List.of("0"),
        cluster.compute(1).query("SELECT count(*) FROM pg_type WHERE typname = 'gone'"));
    cluster.compute(1).execute("DROP TABLE _hue, _gone", "DROP TYPE hue");
  }

  /** The label is in a text that nobody else sees yet, and that does not name the type. */
  @Test
  void aLabelIsRenamedInDefinitionsThatAreNotCommittedYet() throws Exception {
    cluster
        .compute(1)
        .execute("CREATE TYPE tone AS ENUM ('l0', 'other')", "CREATE TABLE toned (n int, t tone)");
    List<String> definitions =
        List.of(
            "ALTER TABLE toned ALTER t SET DEFAULT 'l0'",
            "ALTER TABLE toned ADD CONSTRAINT low CHECK (t <> 'l1' OR n > 0)",
            "CREATE INDEX toned_part ON toned (n) WHERE t = 'l2'",
            "CREATE VIEW toned_now AS SELECT n FROM toned WHERE t = 'l3'",
            "ALTER TABLE toned ADD COLUMN is_first bool GENERATED ALWAYS AS (t = 'l4') STORED",
            "CREATE TABLE toned_too (LIKE toned INCLUDING ALL)");
    for (int i = 0; i < definitions.size(); i++) {
      assertEquals(
          "00000",
          whileOneChanges(
              definitions.get(i),
              "ALTER TYPE tone RENAME VALUE 'l%d' TO 'l%d'".formatted(i, i + 1)));
    }
    for (String table : List.of("toned", "toned_too")) {
      cluster.compute(1).execute("INSERT INTO " + table + " (n) VALUES (7)");
      assertEquals(
          List.of("7"),
          cluster
              .compute(2)
              .query("SELECT n FROM " + table + " WHERE t = 'l6' AND is_first AND n > 0"));
      assertEquals("23514", stateOf(3, "INSERT INTO " + table + " (n) VALUES (0)"));
    }
    assertEquals(List.of("7"), cluster.compute(3).query("SELECT n FROM toned_now"));
    assertEquals(
        List.of("0"),
        cluster
            .compute(3)
            .query(
                "SELECT count(*) FROM pg_indexes WHERE indexdef ~ 'WHERE' AND indexdef !~ 'l6'"));
    cluster.compute(1).execute("DROP TABLE toned, toned_too CASCADE", "DROP TYPE tone");
  }

  /** The types of columns are those of LIKE's table; these are named in its texts only. */
  @Test
  void whoCopiesTextsOfATableKeepsTheirTypesFromBeingDropped() throws Exception {
    cluster
        .compute(1)
        .execute(
            "CREATE TYPE mood AS ENUM ('glad')",
            "CREATE TABLE felt (f text DEFAULT (NULL::mood)::text,"
                + " CONSTRAINT known CHECK (f::mood IS NOT NULL OR f IS NULL))");
    assertEquals(
        "00000",
        whileOneChanges(
            "CREATE TABLE felt_too (LIKE felt INCLUDING ALL)", "DROP TYPE mood CASCADE"));
    cluster.compute(1).execute("INSERT INTO felt_too VALUES (DEFAULT), ('sad')");
    assertEquals(List.of("2"), cluster.compute(2).query("SELECT count(*) FROM felt_too"));
    assertEquals(
        List.of("0"),
        cluster.compute(2).query("SELECT count(*) FROM pg_constraint WHERE conname = 'known'"));
    cluster.compute(1).execute("DROP TABLE felt, felt_too");
  }

  @Test
  void aDefinitionThatWaitsForARenamedLabelDoesNotGetTheOldOne() throws Exception {
    cluster
        .compute(1)
        .execute("CREATE TYPE odour AS ENUM ('good')", "CREATE TABLE smelt (n int, o odour)");
    assertEquals(
        "22P02",
        whileOneChanges(
            "ALTER TYPE odour RENAME VALUE 'good' TO 'better'",
            "ALTER TABLE smelt ALTER o SET DEFAULT 'good'"));
    assertEquals("00000", stateOf(3, "ALTER TABLE smelt ALTER o SET DEFAULT 'better'"));
    cluster.compute(1).execute("DROP TABLE smelt", "DROP TYPE odour");
  }

  /**
   * Node 2 makes the change, and commits it when the other statement on node 3 waits for it; how
   * that ends.
   */
  private String whileOneChanges(String change, String other) throws Exception {
    try (Connection changer = cluster.compute(2).connect();
        Statement changes = changer.createStatement()) {
      changer.setAutoCommit(false);
      changes.execute(change);
      Future<String> waiting = clients.submit(() -> stateOf(3, other));
      StorageNodes.await("it waits", () -> standing() == 1 || waiting.isDone());
      assertFalse(waiting.isDone(), other);
      changer.commit();
      return waiting.get(60, TimeUnit.SECONDS);
    }
  }

  /** How a statement ends. */
  private String stateOf(int node, String statement) {
    try {
      cluster.compute(node).execute(statement);
      return "00000";
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }

  private int standing() {
    return WaitCounts.standing(
        cluster.numbers().stream()
            .map(number -> cluster.compute(number).node.transactions())
            .toList());
  }
}
