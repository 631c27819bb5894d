package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What DDL and table locks of one compute node are to the clients of the others. */
@Timeout(300)
class SharedCatalogTest extends OnThreeNodes {

  private OneNode node(int number) {
    return cluster.compute(number);
  }

  private static void run(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  private static String stateOf(Connection connection, String text) {
    return assertThrows(SQLException.class, () -> run(connection, text)).getSQLState();
  }

  @Test
  void whatOneNodeDefinesTheNextStatementOnAnotherFinds() throws Exception {
    List<Connection> all = cluster.connections();
    for (int round = 0; round < 12; round++) {
      Connection here = all.get(round % NODES);
      Connection there = all.get((round + 1) % NODES);
      String table = "made" + round;
      run(here, "CREATE TABLE " + table + " (id int PRIMARY KEY)");
      run(there, "INSERT INTO " + table + " VALUES (1)");
      run(here, "ALTER TABLE " + table + " ADD COLUMN v int DEFAULT 7");
      assertEquals(List.of("1|7"), OneNode.query(there, "SELECT * FROM " + table));
      run(there, "ALTER TABLE " + table + " RENAME COLUMN v TO w");
      assertEquals(List.of("7"), OneNode.query(here, "SELECT w FROM " + table));
      assertEquals("42703", stateOf(here, "SELECT v FROM " + table));
      run(here, "DROP TABLE " + table);
      assertEquals("42P01", stateOf(there, "SELECT * FROM " + table));
    }
    for (Connection connection : all) {
      connection.close();
    }
  }

  @Test
  void aPlanThatWasMadeBeforeIsNotRunOnAChangedTable() throws Exception {
    node(1).execute("CREATE TABLE planned (id int, v int)", "INSERT INTO planned VALUES (1, 1)");
    try (Connection here = node(1).connect();
        Connection there = node(2).connect();
        PreparedStatement count =
            there.prepareStatement("SELECT count(*), count(v) FROM planned WHERE id = ?");
        PreparedStatement insert = there.prepareStatement("INSERT INTO planned VALUES (?, 1)")) {
      for (int round = 1; round <= 10; round++) {
        for (int i = 0; i < 7; i++) {
          insert.setInt(1, 1);
          insert.executeUpdate();
        }
        run(
            here,
            switch (round % 4) {
              case 0 -> "CREATE INDEX planned_id ON planned (id)";
              case 1 -> "ALTER TABLE planned ADD COLUMN c" + round + " int NOT NULL DEFAULT 3";
              case 2 -> "ALTER TABLE planned ALTER COLUMN v TYPE " + (round > 4 ? "int" : "bigint");
              default -> "DROP INDEX IF EXISTS planned_id";
            });
        count.setInt(1, 1);
        try (ResultSet rows = count.executeQuery()) {
          assertTrue(rows.next());
          assertEquals(1 + 7 * round, rows.getInt(1), "round " + round);
          assertEquals(1 + 7 * round, rows.getInt(2), "round " + round);
        }
      }
    }
  }

  @Test
  void aUniqueIndexOfOneNodeIsKeptByAll() throws Exception {
    node(1).execute("CREATE TABLE keyed (id int)");
    for (int number = 1; number <= NODES; number++) {
      node(number).execute("INSERT INTO keyed VALUES (" + number + ")");
    }
    node(2).execute("CREATE UNIQUE INDEX keyed_id ON keyed (id)");
    try (Connection third = node(3).connect()) {
      assertEquals("23505", stateOf(third, "INSERT INTO keyed VALUES (1)"));
    }
  }

  @Test
  void ofNodesThatMakeTheSameTableAtOnceOneDoes() throws Exception {
    for (int round = 0; round < 6; round++) {
      String text = "CREATE TABLE same" + round + " (id serial PRIMARY KEY)";
      List<String> states = atOnce(connection -> run(connection, text));
      Collections.sort(states);
      assertEquals(List.of("00000", "42P07", "42P07"), states);
    }
    assertEquals(
        List.of("6|6"),
        node(2)
            .query(
                "SELECT count(*), count(DISTINCT oid) FROM pg_class WHERE relname LIKE 'same_'"));
  }

  @Test
  void nodesMakeDifferentTablesAtOnceUnderDifferentOids() throws Exception {
    List<String> states =
        atOnce(
            connection -> {
              for (int i = 0; i < 5; i++) {
                String name = "many" + System.identityHashCode(connection) + "_" + i;
                run(connection, "CREATE TABLE " + name + " (id int UNIQUE)");
              }
            });
    assertEquals(List.of("00000", "00000", "00000"), states);
    for (int number : cluster.numbers()) {
      assertEquals(
          List.of("15|15"),
          node(number)
              .query(
                  "SELECT count(*), count(DISTINCT oid) FROM pg_class"
                      + " WHERE relname LIKE 'many%' AND relkind = 'r'"));
    }
  }

  /** What a client does. */
  private interface Work {
    void run(Connection connection) throws Exception;
  }

  /** SQLSTATEs of what clients of all nodes do at once. */
  private List<String> atOnce(Work work) throws Exception {
    CyclicBarrier start = new CyclicBarrier(NODES);
    List<Future<String>> running = new ArrayList<>();
    for (int number : cluster.numbers()) {
      Callable<String> client =
          () -> {
            try (Connection connection = node(number).connect()) {
              start.await();
              work.run(connection);
              return "00000";
            } catch (SQLException e) {
              return e.getSQLState();
            }
          };
      running.add(clients.submit(client));
    }
    List<String> states = new ArrayList<>();
    for (Future<String> client : running) {
      states.add(client.get(60, TimeUnit.SECONDS));
    }
    return states;
  }

  @Test
  void ddlWaitsForTransactionsOfOtherNodesOrForTheLockTimeout() throws Exception {
    node(1).execute("CREATE TABLE held (id int PRIMARY KEY)");
    try (Connection reader = node(1).connect();
        Connection ddl = node(2).connect()) {
      reader.setAutoCommit(false);
      run(reader, "SELECT * FROM held");
      run(ddl, "SET lock_timeout = '200ms'");
      assertEquals("55P03", stateOf(ddl, "ALTER TABLE held ADD COLUMN v int"));
      run(ddl, "SET lock_timeout = 0");
      Future<?> waiting =
          clients.submit(
              () -> {
                run(ddl, "ALTER TABLE held ADD COLUMN v int");
                return null;
              });
      run(reader, "INSERT INTO held VALUES (1)");
      while (node(2).node.transactions().waiting() == 0 && !waiting.isDone()) {
        Thread.onSpinWait();
      }
      assertFalse(waiting.isDone());
      reader.commit();
      waiting.get(60, TimeUnit.SECONDS);
      assertEquals(List.of("1|null"), OneNode.query(reader, "SELECT * FROM held"));
      reader.rollback();
    }
  }

  @Test
  void aCircleOfTableLocksOverTwoNodesHasOneVictim() throws Exception {
    node(1).execute("CREATE TABLE left_one (id int)", "CREATE TABLE right_one (id int)");
    CyclicBarrier both = new CyclicBarrier(2);
    List<Future<String>> running = new ArrayList<>();
    for (int number = 1; number <= 2; number++) {
      String first = number == 1 ? "left_one" : "right_one";
      String second = number == 1 ? "right_one" : "left_one";
      Connection connection = node(number).connect();
      Callable<String> client =
          () -> {
            try (connection) {
              connection.setAutoCommit(false);
              run(connection, "LOCK TABLE " + first + " IN ACCESS EXCLUSIVE MODE");
              both.await();
              run(connection, "LOCK TABLE " + second + " IN ACCESS EXCLUSIVE MODE");
              connection.commit();
              return "00000";
            } catch (SQLException e) {
              return e.getSQLState();
            }
          };
      running.add(clients.submit(client));
    }
    List<String> states = new ArrayList<>();
    for (Future<String> client : running) {
      states.add(client.get(60, TimeUnit.SECONDS));
    }
    Collections.sort(states);
    assertEquals(List.of("00000", "40P01"), states);
  }

  @Test
  void aSequenceThatOneNodeSetsGoesOnFromThereOnAll() throws Exception {
    node(1).execute("CREATE SEQUENCE counted");
    for (int number : cluster.numbers()) {
      node(number).query("SELECT nextval('counted')");
    }
    node(3).query("SELECT setval('counted', 5000)");
    assertEquals(List.of("5001"), node(1).query("SELECT nextval('counted')"));
    node(2).execute("ALTER SEQUENCE counted RESTART WITH 9000");
    assertEquals(List.of("9000"), node(3).query("SELECT nextval('counted')"));
    node(3).execute("DROP SEQUENCE counted");
    try (Connection first = node(1).connect()) {
      assertEquals("42P01", stateOf(first, "SELECT nextval('counted')"));
    }
  }

  @Test
  void rolesAndPrivilegesOfOneNodeCountOnAll() throws Exception {
    node(1).execute("CREATE TABLE guarded (id int)", "CREATE ROLE guest");
    try (Connection second = node(2).connect()) {
      run(second, "SET ROLE guest");
      assertEquals("42501", stateOf(second, "SELECT * FROM guarded"));
      node(3).execute("GRANT SELECT ON guarded TO guest");
      run(second, "SELECT * FROM guarded");
      node(1).execute("REVOKE SELECT ON guarded FROM guest");
      assertEquals("42501", stateOf(second, "SELECT * FROM guarded"));
    }
  }

  @Test
  void temporaryTablesOfSessionsOnDifferentNodesAreDifferent() throws Exception {
    List<Connection> all = cluster.connections();
    for (int i = 0; i < all.size(); i++) {
      run(all.get(i), "CREATE TEMP TABLE own (id int)", "INSERT INTO own VALUES (" + i + ")");
    }
    for (int i = 0; i < all.size(); i++) {
      assertEquals(List.of(Integer.toString(i)), OneNode.query(all.get(i), "SELECT * FROM own"));
    }
    all.get(0).close();
    assertEquals(List.of("1"), OneNode.query(all.get(1), "SELECT * FROM own"));
    all.get(1).close();
    all.get(2).close();
  }

  @Test
  void ddlBesideWritersOfOtherNodesLosesNoRow() throws Exception {
    node(1).execute("CREATE TABLE busy (id bigserial PRIMARY KEY, v int)");
    AtomicBoolean enough = new AtomicBoolean();
    List<Future<Integer>> writers = new ArrayList<>();
    for (int number = 1; number <= 2; number++) {
      OneNode node = node(number);
      writers.add(
          clients.submit(
              () -> {
                int rows = 0;
                try (Connection connection = node.connect()) {
                  while (!enough.get()) {
                    run(connection, "INSERT INTO busy (v) VALUES (" + rows % 10 + ")");
                    rows++;
                  }
                }
                return rows;
              }));
    }
    for (int i = 0; i < 5; i++) {
      node(3)
          .execute(
              "CREATE INDEX busy_v ON busy (v)",
              "ALTER TABLE busy ADD COLUMN c" + i + " int DEFAULT 1",
              "DROP INDEX busy_v");
    }
    node(3).execute("CREATE INDEX busy_v ON busy (v)");
    enough.set(true);
    int rows = 0;
    for (Future<Integer> writer : writers) {
      rows += writer.get(60, TimeUnit.SECONDS);
    }
    for (int number : cluster.numbers()) {
      assertEquals(List.of(rows + "|" + 5L * rows), node(number).query(busyRows()));
      assertEquals(
          List.of(Integer.toString(rows)),
          node(number).query("SELECT count(*) FROM busy WHERE v >= 0 AND v < 100"));
    }
  }

  private static String busyRows() {
    return "SELECT count(*), sum(c0 + c1 + c2 + c3 + c4) FROM busy";
  }
}
