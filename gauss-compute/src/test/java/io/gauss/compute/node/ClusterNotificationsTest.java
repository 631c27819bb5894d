package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** What clients of one compute node hear of the others. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(300)
class ClusterNotificationsTest {
  private static final int WAIT_MILLIS = 60_000;

  private final ExecutorService clients = Executors.newCachedThreadPool();
  private WholeCluster cluster;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    cluster = new WholeCluster(directory, 1, 2, 3, Map.of(), Map.of("notifications.queue", "1MB"));
  }

  @AfterAll
  void stop() {
    clients.shutdownNow();
    cluster.close();
  }

  private Connection connect(int number) throws SQLException {
    return cluster.compute(number).connect();
  }

  private static void run(Connection connection, String text) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(text);
    }
  }

  /** Payloads, until so many have come. */
  private static List<String> heard(Connection connection, int count) throws SQLException {
    List<String> heard = new ArrayList<>();
    while (heard.size() < count) {
      PGNotification[] some = connection.unwrap(PGConnection.class).getNotifications(WAIT_MILLIS);
      assertTrue(some != null && some.length > 0, "nothing came");
      for (PGNotification one : some) {
        heard.add(one.getParameter());
      }
    }
    return heard;
  }

  private static int pid(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getBackendPID();
  }

  // ---------------------------------------------------------------- all nodes live

  @Test
  @Order(1)
  void sessionsOfAllNodesHearTheSessionsOfAllNodes() throws Exception {
    List<Connection> all = cluster.connections();
    for (Connection connection : all) {
      run(connection, "LISTEN news");
    }
    for (Connection sender : all) {
      run(sender, "NOTIFY news, 'of " + pid(sender) + "'");
      for (Connection listener : all) {
        PGNotification[] heard = listener.unwrap(PGConnection.class).getNotifications(WAIT_MILLIS);
        assertEquals(1, heard.length);
        assertEquals("of " + pid(sender), heard[0].getParameter());
        assertEquals(pid(sender), heard[0].getPID());
        assertEquals("news", heard[0].getName());
      }
    }
    for (Connection connection : all) {
      connection.close();
    }
  }

  @Test
  @Order(2)
  void onlyWhatIsCommittedIsHeardAndTheRowsAreThereThen() throws Exception {
    cluster.compute(1).execute("CREATE TABLE item (id int PRIMARY KEY)");
    try (Connection writer = connect(1);
        Connection listener = connect(2)) {
      run(listener, "LISTEN item");
      writer.setAutoCommit(false);
      for (int id = 1; id <= 30; id++) {
        run(writer, "INSERT INTO item VALUES (" + id + ")");
        run(writer, "NOTIFY item, '" + id + "'");
        if (id % 3 == 0) {
          writer.rollback();
        } else {
          writer.commit();
          List<String> heard = heard(listener, 1);
          assertEquals(List.of(Integer.toString(id)), heard);
          assertEquals(
              List.of("1"), OneNode.query(listener, "SELECT count(*) FROM item WHERE id = " + id));
        }
      }
    }
    cluster.compute(1).execute("DROP TABLE item");
  }

  @Test
  @Order(3)
  void viewAndFunctionTellHowFullTheQueuesAreAndWhoWaits() throws Exception {
    try (Connection listener = connect(2);
        Connection sender = connect(1)) {
      run(listener, "LISTEN busy");
      run(listener, "BEGIN");
      String listening = "SELECT sessions, channels FROM gauss.notifications WHERE node = 2";
      while (!OneNode.query(sender, listening).equals(List.of("1|1"))) {
        Thread.onSpinWait(); // sessions of other tests end
      }
      String payload = "x".repeat(7_000);
      SQLException full = null;
      boolean isWarned = false;
      try (Statement statement = sender.createStatement()) {
        for (int i = 0; full == null; i++) {
          try {
            statement.execute("NOTIFY busy, '" + i + payload + "'");
          } catch (SQLException e) {
            full = e;
          }
          SQLWarning warning = statement.getWarnings();
          isWarned |= warning != null && warning.getMessage().contains("NOTIFY queue is ");
        }
      }
      assertEquals("54000", full.getSQLState());
      assertTrue(full.getMessage().contains("too many notifications in the NOTIFY queue"));
      assertTrue(isWarned);
      assertEquals(
          List.of("t|t"),
          OneNode.query(
              sender,
              "SELECT pg_notification_queue_usage() > 0.9,"
                  + " (SELECT queue_bytes > 900000 FROM gauss.notifications WHERE node = 2)"));
      // Nobody else is held up, and neither are channels to which others listen.
      try (Connection other = connect(3)) {
        run(other, "LISTEN quiet");
        run(sender, "NOTIFY quiet, 'x'");
        assertEquals(List.of("x"), heard(other, 1));
      }
      run(listener, "COMMIT");
      heard(listener, 50);
      run(sender, "NOTIFY busy, 'after'");
      List<String> rest = new ArrayList<>(List.of(""));
      while (!rest.getLast().equals("after")) {
        rest.addAll(heard(listener, 1));
      }
      assertEquals(List.of("t"), OneNode.query(sender, "SELECT pg_notification_queue_usage() = 0"));
    }
  }

  // ---------------------------------------------------------------- under load

  private static final class Reader {
    private final Set<Integer> seen = new HashSet<>();
    private final List<Integer> heard = new ArrayList<>();
  }

  /** Rows are inserted on all nodes, and told; sessions begin to listen, look, and are told. */
  private void insertAndHear(int[] writers, int[] listeners, Runnable meanwhile) throws Exception {
    cluster.compute(listeners[0]).execute("CREATE TABLE told (id int PRIMARY KEY)");
    AtomicInteger next = new AtomicInteger();
    AtomicBoolean isOver = new AtomicBoolean();
    List<Future<?>> writing = new ArrayList<>();
    for (int number : writers) {
      for (int i = 0; i < 2; i++) {
        writing.add(clients.submit(() -> write(number, next, isOver)));
      }
    }
    List<Connection> connections = new ArrayList<>();
    List<Reader> readers = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      for (int number : listeners) {
        int before = next.get();
        while (next.get() < before + 5) {
          Thread.onSpinWait();
        }
        Connection connection = connect(number);
        run(connection, "LISTEN told");
        Reader reader = new Reader();
        OneNode.query(connection, "SELECT id FROM told")
            .forEach(id -> reader.seen.add(Integer.parseInt(id)));
        connections.add(connection);
        readers.add(reader);
      }
      if (round == 1) {
        meanwhile.run();
      }
    }
    isOver.set(true);
    for (Future<?> one : writing) {
      one.get(120, TimeUnit.SECONDS);
    }
    Set<Integer> all = new TreeSet<>();
    try (Connection connection = connect(listeners[0])) {
      OneNode.query(connection, "SELECT id FROM told").forEach(id -> all.add(Integer.parseInt(id)));
      run(connection, "NOTIFY told, '-1'");
    }
    for (int i = 0; i < readers.size(); i++) {
      Reader reader = readers.get(i);
      while (!reader.heard.contains(-1)) {
        heard(connections.get(i), 1).forEach(id -> reader.heard.add(Integer.parseInt(id)));
      }
      reader.heard.remove(Integer.valueOf(-1));
      Set<Integer> known = new TreeSet<>(reader.seen);
      known.addAll(reader.heard);
      assertEquals(all, known);
      assertEquals(reader.heard.size(), new HashSet<>(reader.heard).size());
      connections.get(i).close();
    }
    assertFalse(all.isEmpty());
    cluster.compute(listeners[0]).execute("DROP TABLE told");
  }

  private Void write(int number, AtomicInteger next, AtomicBoolean isOver) throws Exception {
    try (Connection connection = connect(number)) {
      connection.setAutoCommit(false);
      while (!isOver.get()) {
        int id = next.incrementAndGet();
        run(connection, "INSERT INTO told VALUES (" + id + ")");
        run(connection, "SELECT pg_notify('told', '" + id + "')");
        connection.commit();
      }
    } catch (SQLException e) {
      // Its node has been killed.
      next.addAndGet(1_000_000);
    }
    return null;
  }

  @Test
  @Order(4)
  void whoListensAndLooksMissesNothing() throws Exception {
    insertAndHear(new int[] {1, 2, 3}, new int[] {1, 2, 3}, () -> {});
  }

  @Test
  @Order(5)
  void whoListensMissesNothingWhenANodeThatNotifiesDies() throws Exception {
    insertAndHear(
        new int[] {1, 2, 3},
        new int[] {1, 2},
        () -> {
          try {
            cluster.kill(3);
            cluster.start(3);
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }
}
