package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Checker;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.engine.Seeds;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What must hold of data that clients of three compute nodes change at once. */
@Timeout(300)
class SeveralNodesTest extends OnThreeNodes {
  private static final Set<String> RETRIED = Set.of("40001", "40P01");

  @AfterEach
  void everyInvariantHoldsAsEachNodeSeesIt() {
    for (int number : cluster.numbers()) {
      Engine engine = cluster.compute(number).node.engine();
      for (Checker checker : engine.checkers()) {
        checker.check(engine.newContext());
      }
    }
  }

  @Test
  void whatOneNodeCommitsTheOthersSeeAtOnce() throws Exception {
    cluster.compute(1).execute("CREATE TABLE seen (id int PRIMARY KEY, v int)");
    for (int round = 0; round < 30; round++) {
      int writer = round % NODES + 1;
      cluster.compute(writer).execute("INSERT INTO seen VALUES (" + round + ", 0)");
      cluster.compute(writer).execute("UPDATE seen SET v = v + 1");
      for (int reader : cluster.numbers()) {
        assertEquals(
            List.of(round + 1 + "|1"),
            cluster.compute(reader).query("SELECT count(*), min(v) FROM seen"),
            "node " + reader + ", written by node " + writer);
        cluster.compute(writer).execute("UPDATE seen SET v = 1");
      }
    }
  }

  @Test
  void moneyIsNeitherMadeNorLost() throws Exception {
    int accounts = 40;
    cluster
        .compute(1)
        .execute(
            "CREATE TABLE bank (id int PRIMARY KEY, balance int NOT NULL)",
            "INSERT INTO bank SELECT g, 100 FROM generate_series(1, " + accounts + ") AS g");
    Random seeds = new Random(Seeds.next());
    everywhere(
        2,
        (connection, number) -> {
          Random random = new Random(seeds.nextLong());
          connection.setAutoCommit(false);
          connection.setTransactionIsolation(
              random.nextBoolean()
                  ? Connection.TRANSACTION_READ_COMMITTED
                  : Connection.TRANSACTION_REPEATABLE_READ);
          for (int i = 0; i < 60; i++) {
            int from = 1 + random.nextInt(accounts);
            int to = 1 + random.nextInt(accounts);
            int amount = random.nextInt(20);
            retry(
                connection,
                "UPDATE bank SET balance = balance - " + amount + " WHERE id = " + from,
                "UPDATE bank SET balance = balance + " + amount + " WHERE id = " + to);
            if (i % 5 == 0) {
              assertEquals(
                  List.of(Integer.toString(100 * accounts)),
                  OneNode.query(connection, "SELECT sum(balance) FROM bank"));
              connection.commit();
            }
          }
        });
    for (int number : cluster.numbers()) {
      assertEquals(
          List.of(Integer.toString(100 * accounts)),
          cluster.compute(number).query("SELECT sum(balance) FROM bank"));
    }
  }

  @Test
  void aKeyIsTakenOnce() throws Exception {
    cluster.compute(2).execute("CREATE TABLE taken (id int PRIMARY KEY, who int, u text UNIQUE)");
    Set<String> won = ConcurrentHashMap.newKeySet();
    everywhere(
        2,
        (connection, number) -> {
          for (int key = 0; key < 150; key++) {
            try (Statement statement = connection.createStatement()) {
              statement.execute(
                  "INSERT INTO taken VALUES (%d, %d, 'u%d')".formatted(key, number, key / 2 * 2));
              assertTrue(won.add(key + " by anybody"), "key " + key + " was taken before");
              won.add(key + "|" + number);
            } catch (SQLException e) {
              assertEquals("23505", e.getSQLState(), e.getMessage());
            }
          }
        });
    Set<String> there = new HashSet<>(cluster.compute(3).query("SELECT id, who FROM taken"));
    won.removeIf(key -> key.endsWith("anybody"));
    assertEquals(won, there);
    assertEquals(List.of("75"), cluster.compute(1).query("SELECT count(DISTINCT u) FROM taken"));
  }

  @Test
  void aChildHasAParent() throws Exception {
    cluster
        .compute(1)
        .execute(
            "CREATE TABLE parent (id int PRIMARY KEY)",
            "CREATE TABLE child (id int PRIMARY KEY, p int REFERENCES parent)",
            "INSERT INTO parent SELECT g FROM generate_series(1, 20) AS g");
    Random seeds = new Random(Seeds.next());
    everywhere(
        2,
        (connection, number) -> {
          Random random = new Random(seeds.nextLong());
          for (int i = 0; i < 60; i++) {
            int parent = 1 + random.nextInt(20);
            int child = random.nextInt(1_000_000);
            String text =
                switch (random.nextInt(4)) {
                  case 0 -> "DELETE FROM parent WHERE id = " + parent;
                  case 1 -> "INSERT INTO parent VALUES (" + parent + ")";
                  case 2 -> "DELETE FROM child WHERE p = " + parent;
                  default -> "INSERT INTO child VALUES (" + child + ", " + parent + ")";
                };
            try (Statement statement = connection.createStatement()) {
              statement.execute(text);
            } catch (SQLException e) {
              assertTrue(
                  Set.of("23503", "23505", "40P01", "40001").contains(e.getSQLState()),
                  e.getMessage());
            }
          }
        });
    for (int number : cluster.numbers()) {
      assertEquals(
          List.of("0"),
          cluster
              .compute(number)
              .query("SELECT count(*) FROM child WHERE p NOT IN (SELECT id FROM parent)"));
    }
  }

  @Test
  void whatIsPutOffToTheCommitHoldsBehindIt() throws Exception {
    cluster
        .compute(1)
        .execute(
            "CREATE TABLE later_parent (id int PRIMARY KEY)",
            "CREATE TABLE later (id int PRIMARY KEY,"
                + " p int CONSTRAINT later_p REFERENCES later_parent"
                + " DEFERRABLE INITIALLY DEFERRED,"
                + " u int CONSTRAINT later_u UNIQUE DEFERRABLE INITIALLY DEFERRED)",
            "INSERT INTO later_parent SELECT g FROM generate_series(1, 60) AS g",
            "INSERT INTO later SELECT g, g, g FROM generate_series(1, 60) AS g");
    Random seeds = new Random(Seeds.next());
    AtomicInteger committed = new AtomicInteger();
    everywhere(
        2,
        (connection, number) -> {
          Random random = new Random(seeds.nextLong());
          connection.setAutoCommit(false);
          for (int i = 0; i < 40; i++) {
            try (Statement statement = connection.createStatement()) {
              for (int step = 1 + random.nextInt(3); step > 0; step--) {
                statement.execute(putOff(random));
              }
              connection.commit();
              committed.incrementAndGet();
            } catch (SQLException e) {
              connection.rollback();
              assertTrue(
                  Set.of("23503", "23505", "40P01", "40001", "3B001").contains(e.getSQLState()),
                  e.getMessage());
            }
          }
        });
    assertTrue(committed.get() > NODES, committed + " were committed");
    for (int number : cluster.numbers()) {
      OneNode node = cluster.compute(number);
      assertEquals(
          List.of("0"),
          node.query("SELECT count(*) FROM later WHERE p NOT IN (SELECT id FROM later_parent)"));
      assertEquals(List.of("0"), node.query("SELECT count(u) - count(DISTINCT u) FROM later"));
    }
  }

  private static String putOff(Random random) {
    int id = 1 + random.nextInt(100);
    int parent = 1 + random.nextInt(60);
    int unique = 1 + random.nextInt(120);
    return switch (random.nextInt(11)) {
      case 0, 1 -> "INSERT INTO later VALUES (%d, %d, %d)".formatted(id, parent, unique);
      case 2 -> "UPDATE later SET u = %d WHERE id = %d".formatted(unique, id);
      case 3 -> "UPDATE later SET u = u + 1 WHERE id BETWEEN %d AND %d".formatted(id, id + 2);
      case 4 -> "UPDATE later SET p = %d WHERE id = %d".formatted(parent, id);
      case 5 -> "UPDATE later SET id = %d WHERE u = %d".formatted(id, unique);
      case 6 -> "DELETE FROM later WHERE p = " + parent;
      case 7 -> "DELETE FROM later_parent WHERE id = " + parent;
      case 8 -> "INSERT INTO later_parent VALUES (%d) ON CONFLICT DO NOTHING".formatted(parent);
      case 9 -> "SET CONSTRAINTS ALL " + (random.nextBoolean() ? "IMMEDIATE" : "DEFERRED");
      default -> random.nextBoolean() ? "SAVEPOINT s" : "ROLLBACK TO s";
    };
  }

  @Test
  void aSequenceGivesNothingTwice() throws Exception {
    cluster
        .compute(1)
        .execute(
            "CREATE SEQUENCE numbers", "CREATE TABLE rows (id bigserial PRIMARY KEY, who int)");
    Set<Long> given = ConcurrentHashMap.newKeySet();
    everywhere(
        2,
        (connection, number) -> {
          for (int i = 0; i < 100; i++) {
            long value =
                Long.parseLong(OneNode.query(connection, "SELECT nextval('numbers')").getFirst());
            assertTrue(given.add(value), value + " came twice");
            try (Statement statement = connection.createStatement()) {
              statement.execute("INSERT INTO rows (who) VALUES (" + number + ")");
            }
          }
        });
    assertEquals(
        List.of(Integer.toString(200 * NODES)),
        cluster.compute(2).query("SELECT count(*) FROM rows"));
  }

  @Test
  void aDeadlockOverTwoNodesEndsForOneOfThem() throws Exception {
    cluster
        .compute(1)
        .execute(
            "CREATE TABLE crossed (id int PRIMARY KEY, v int)",
            "INSERT INTO crossed VALUES (1, 0), (2, 0)");
    for (int round = 0; round < 5; round++) {
      try (Connection one = cluster.compute(round % NODES + 1).connect();
          Connection other = cluster.compute((round + 1) % NODES + 1).connect()) {
        one.setAutoCommit(false);
        other.setAutoCommit(false);
        update(one, 1);
        update(other, 2);
        Future<String> first = clients.submit(() -> update(one, 2));
        Future<String> second = clients.submit(() -> update(other, 1));
        List<String> ends =
            new ArrayList<>(
                List.of(first.get(60, TimeUnit.SECONDS), second.get(60, TimeUnit.SECONDS)));
        ends.sort(null);
        assertEquals(List.of("40P01", "done"), ends);
      }
    }
  }

  /** "done" or the SQLSTATE, after which the transaction is rolled back. */
  private static String update(Connection connection, int id) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("UPDATE crossed SET v = v + 1 WHERE id = " + id);
      return "done";
    } catch (SQLException e) {
      connection.rollback();
      return e.getSQLState();
    }
  }

  /** Work of one client. */
  private interface Work {
    void run(Connection connection, int number) throws SQLException;
  }

  /** Runs the work on each node by some clients at once. */
  private void everywhere(int clientsEach, Work work) throws Exception {
    List<Future<Void>> running = new ArrayList<>();
    for (int number : cluster.numbers()) {
      for (int i = 0; i < clientsEach; i++) {
        Callable<Void> client =
            () -> {
              try (Connection connection = cluster.compute(number).connect()) {
                work.run(connection, number);
              }
              return null;
            };
        running.add(clients.submit(client));
      }
    }
    for (Future<Void> client : running) {
      try {
        client.get(200, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        showWhatWaits();
        throw e;
      }
    }
  }

  /** Whatever stands still does so seldom: nobody sees it a second time. */
  private void showWhatWaits() throws Exception {
    for (int number : cluster.numbers()) {
      for (String view : List.of("gauss.waiting", "gauss.sessions", "gauss.page_transfers")) {
        System.err.println(view + " of node " + number);
        cluster.compute(number).query("SELECT * FROM " + view).forEach(System.err::println);
      }
    }
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      System.err.println(thread);
      for (StackTraceElement frame : thread.getStackTrace()) {
        System.err.println("    " + frame);
      }
    }
  }

  /** One transaction, again until it is not the victim of others. */
  private static void retry(Connection connection, String... statements) throws SQLException {
    while (true) {
      try (Statement statement = connection.createStatement()) {
        for (String text : statements) {
          statement.execute(text);
        }
        connection.commit();
        return;
      } catch (SQLException e) {
        connection.rollback();
        if (!RETRIED.contains(e.getSQLState())) {
          throw e;
        }
      }
    }
  }
}
