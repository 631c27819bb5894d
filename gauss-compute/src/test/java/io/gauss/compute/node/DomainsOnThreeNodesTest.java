package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.txn.WaitCounts;
import io.gauss.storage.node.StorageNodes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Domains that one of three compute nodes changes while all of them use it. */
@Timeout(120)
class DomainsOnThreeNodesTest extends OnThreeNodes {
  private static String state(Future<?> statement) throws Exception {
    try {
      statement.get(60, TimeUnit.SECONDS);
      return "done";
    } catch (java.util.concurrent.ExecutionException e) {
      return ((SQLException) e.getCause()).getSQLState();
    }
  }

  private Future<?> start(int node, String statement) {
    return clients.submit(
        () -> {
          cluster.compute(node).execute(statement);
          return null;
        });
  }

  /** Plans, also those of statements that clients have prepared, have the domain as it is. */
  @Test
  void everyNodeKnowsAChangeWhenItHasCommitted() throws Exception {
    cluster
        .compute(1)
        .execute(
            "CREATE DOMAIN count AS int DEFAULT 1 CHECK (VALUE < 1000)",
            "CREATE TABLE counted (id int, n count)");
    try (Connection connection = cluster.compute(3).connect();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO counted VALUES (1, ?)");
        PreparedStatement bare =
            connection.prepareStatement("INSERT INTO counted (id) VALUES (2)")) {
      for (int i = 0; i < 10; i++) { // from the sixth on pgjdbc prepares it on the server
        insert.setInt(1, -1);
        insert.executeUpdate();
        bare.executeUpdate();
      }
      cluster
          .compute(2)
          .execute("ALTER DOMAIN count ADD CONSTRAINT above CHECK (VALUE > 0) NOT VALID");
      SQLException refused = assertThrows(SQLException.class, insert::executeUpdate);
      assertEquals("23514", refused.getSQLState());
      assertTrue(refused.getMessage().contains("above"), refused.getMessage());
      cluster.compute(1).execute("ALTER DOMAIN count SET DEFAULT 7");
      bare.executeUpdate();
      assertEquals(List.of("7"), cluster.compute(2).query("SELECT n FROM counted WHERE n > 1"));
      cluster.compute(1).execute("ALTER DOMAIN count DROP CONSTRAINT above");
      insert.executeUpdate();
      SQLException invalid =
          assertThrows(
              SQLException.class,
              () ->
                  cluster
                      .compute(3)
                      .execute("ALTER DOMAIN count ADD CONSTRAINT above CHECK (VALUE > 0)"));
      assertEquals("23514", invalid.getSQLState());
      cluster.compute(2).execute("DELETE FROM counted WHERE n < 0");
      cluster.compute(3).execute("ALTER DOMAIN count ADD CONSTRAINT above CHECK (VALUE > 0)");
      assertThrows(SQLException.class, insert::executeUpdate);
      cluster.compute(2).execute("ALTER DOMAIN count RENAME TO number");
      refused = assertThrows(SQLException.class, insert::executeUpdate);
      assertTrue(refused.getMessage().contains("number"), refused.getMessage());
    }
    assertThrows(SQLException.class, () -> cluster.compute(2).execute("DROP DOMAIN number"));
    cluster.compute(2).execute("DROP DOMAIN number CASCADE");
    assertEquals(List.of(), cluster.compute(1).query("SELECT id FROM counted WHERE id > 2"));
    cluster.compute(1).execute("DROP TABLE counted");
  }

  /** Whoever makes a domain stricter waits for writers, and sees what they have written. */
  @Test
  void aConstraintWaitsForThoseWhoWrite() throws Exception {
    cluster
        .compute(1)
        .execute("CREATE DOMAIN level AS int", "CREATE TABLE levels (id int, l level)");
    try (Connection writer = cluster.compute(2).connect();
        Statement writes = writer.createStatement()) {
      for (String value : List.of("NULL", "-1", "1")) {
        writer.setAutoCommit(false);
        writes.execute("INSERT INTO levels VALUES (1, " + value + ")");
        Future<?> alters =
            start(
                3,
                value.equals("NULL")
                    ? "ALTER DOMAIN level SET NOT NULL"
                    : "ALTER DOMAIN level ADD CONSTRAINT high CHECK (VALUE > 0)");
        StorageNodes.await("it waits", () -> standing() == 1 || alters.isDone());
        assertFalse(alters.isDone(), value);
        writer.commit();
        switch (value) {
          case "NULL" -> assertEquals("23502", state(alters));
          case "-1" -> assertEquals("23514", state(alters));
          default -> assertEquals("done", state(alters));
        }
        writes.execute("DELETE FROM levels");
        writer.commit();
      }
      SQLException refused =
          assertThrows(
              SQLException.class, () -> writes.execute("INSERT INTO levels VALUES (1, -1)"));
      assertEquals("23514", refused.getSQLState());
      writer.rollback();
    }
    cluster.compute(1).execute("DROP TABLE levels", "DROP DOMAIN level");
  }

  /** Writers on all nodes meet a constraint that comes and goes: no row violates it. */
  @Test
  void noRowSlipsPastANewConstraint() throws Exception {
    cluster
        .compute(1)
        .execute(
            "CREATE DOMAIN sign AS int",
            "CREATE DOMAIN over AS sign",
            "CREATE TABLE signs (id int, s sign)",
            "CREATE TABLE overs (id int, s over)");
    int rounds = 6;
    for (int round = 0; round < rounds; round++) {
      AtomicInteger refused = new AtomicInteger();
      List<Future<?>> writers = new ArrayList<>();
      for (int number : cluster.numbers()) {
        writers.add(
            clients.submit(
                () -> {
                  try (Connection connection = cluster.compute(number).connect();
                      PreparedStatement insert =
                          connection.prepareStatement(
                              number % 2 == 0
                                  ? "INSERT INTO signs VALUES (1, ?)"
                                  : "INSERT INTO overs VALUES (1, ?)")) {
                    while (true) {
                      try {
                        insert.setInt(1, number);
                        insert.executeUpdate();
                        insert.setInt(1, -number);
                        insert.executeUpdate();
                      } catch (SQLException e) {
                        assertEquals("23514", e.getSQLState(), e.getMessage());
                        refused.incrementAndGet();
                        return null;
                      }
                    }
                  }
                }));
      }
      boolean isAdded = false;
      for (int i = 0; !isAdded; i++) {
        // What is there is removed first; what comes until the lock is got may refuse it again.
        try (Connection connection = cluster.compute(round % NODES + 1).connect();
            Statement statement = connection.createStatement()) {
          connection.setAutoCommit(false);
          statement.execute("LOCK TABLE signs, overs IN SHARE MODE");
          statement.execute("DELETE FROM signs WHERE s < 0");
          statement.execute("DELETE FROM overs WHERE s < 0");
          statement.execute("ALTER DOMAIN sign ADD CONSTRAINT plus CHECK (VALUE > 0)");
          connection.commit();
          isAdded = true;
        } catch (SQLException e) {
          assertTrue(List.of("40P01", "40001").contains(e.getSQLState()), e.getMessage());
          assertTrue(i < 100, "it has been tried often enough");
        }
      }
      for (Future<?> writer : writers) {
        writer.get(60, TimeUnit.SECONDS);
      }
      assertEquals(NODES, refused.get());
      for (int number : cluster.numbers()) {
        assertEquals(
            List.of("0"),
            cluster
                .compute(number)
                .query(
                    "SELECT (SELECT count(*) FROM signs WHERE s < 0)"
                        + " + (SELECT count(*) FROM overs WHERE s < 0)"));
      }
      cluster.compute((round + 1) % NODES + 1).execute("ALTER DOMAIN sign DROP CONSTRAINT plus");
    }
    cluster.compute(1).execute("DROP TABLE signs, overs", "DROP DOMAIN over, sign");
  }

  @Test
  void whoMakesATableOfADomainKeepsItFromBeingDroppedOrMadeStricter() throws Exception {
    cluster.compute(1).execute("CREATE DOMAIN kept AS int");
    try (Connection maker = cluster.compute(2).connect();
        Statement makes = maker.createStatement()) {
      maker.setAutoCommit(false);
      makes.execute("CREATE TABLE of_kept (k kept)");
      makes.execute("INSERT INTO of_kept VALUES (-1)");
      Future<?> alters = start(3, "ALTER DOMAIN kept ADD CHECK (VALUE > 0)");
      Future<?> drops = start(1, "DROP DOMAIN kept");
      StorageNodes.await("both wait", () -> standing() == 2 || alters.isDone() || drops.isDone());
      assertFalse(alters.isDone() || drops.isDone());
      maker.commit();
      assertEquals("23514", state(alters));
      assertEquals("2BP01", state(drops));
    }
    cluster.compute(1).execute("DROP TABLE of_kept", "DROP DOMAIN kept");
  }

  private int standing() {
    return WaitCounts.standing(
        cluster.numbers().stream()
            .map(number -> cluster.compute(number).node.transactions())
            .toList());
  }
}
