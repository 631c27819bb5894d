package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;
import static io.gauss.jdbc.nodes.TwoNodes.onNode;
import static io.gauss.jdbc.nodes.TwoNodes.process;
import static io.gauss.jdbc.nodes.TwoNodes.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

/** How physical connections and what is open on them begin and end. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class DriverLifeTest {
  private TwoNodes nodes;

  @BeforeAll
  void start() throws Exception {
    nodes = new TwoNodes();
  }

  @AfterAll
  void stop() throws SQLException {
    nodes.close();
  }

  private void awaitNone(String application) throws SQLException {
    String sessions =
        "SELECT 1 FROM pg_stat_activity WHERE application_name = '" + application + "'";
    try (Connection direct = nodes.direct()) {
      while (!query(direct, sessions).isEmpty()) {
        Thread.onSpinWait();
      }
    }
  }

  /** The monitor ends with the last connection, and neither too early nor never. */
  @Test
  void aConnectionThatSeveralThreadsEndIsReleasedOnce() throws Exception {
    try (ExecutorService executor = Executors.newCachedThreadPool()) {
      for (int i = 0; i < 30; i++) {
        Connection other = nodes.connect("ApplicationName=ended");
        Connection connection = nodes.connect("ApplicationName=ended");
        process(connection, 2);
        CyclicBarrier barrier = new CyclicBarrier(4);
        List<Future<Object>> endings = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
          boolean aborts = thread % 2 == 0;
          Callable<Object> ending =
              () -> {
                barrier.await();
                if (aborts) {
                  connection.abort(Runnable::run);
                } else {
                  connection.close();
                }
                return null;
              };
          endings.add(executor.submit(ending));
        }
        for (Future<Object> ending : endings) {
          ending.get();
        }
        process(other, 1);
        other.close();
        awaitNone("ended");
      }
    }
  }

  /** Whatever a thread opens while another one ends its session is closed. */
  @Test
  void aConnectionThatIsAbortedWhileItMovesLeavesNothing() throws Exception {
    try (ExecutorService executor = Executors.newCachedThreadPool()) {
      for (int i = 0; i < 30; i++) {
        Connection connection = nodes.connect("ApplicationName=moved");
        CyclicBarrier barrier = new CyclicBarrier(2);
        Future<Object> abort =
            executor.submit(
                () -> {
                  barrier.await();
                  connection.abort(Runnable::run);
                  return null;
                });
        barrier.await();
        try {
          process(connection, 2);
          process(connection, 1);
        } catch (SQLException e) {
          assertTrue(e.getSQLState().startsWith("08"), e.toString());
        }
        abort.get();
        awaitNone("moved");
      }
    }
  }

  @Test
  void theResultsOnTheNodeBeforeAreClosed() throws SQLException {
    try (Connection connection = nodes.connect("");
        PreparedStatement select = connection.prepareStatement("SELECT id FROM t")) {
      connection.setClientInfo("gauss.node", "1");
      ResultSet first = select.executeQuery();
      assertTrue(first.next());
      connection.setClientInfo("gauss.node", "2");
      ResultSet second = select.executeQuery();
      assertTrue(first.isClosed());
      assertFalse(second.isClosed());
      connection.setClientInfo("gauss.node", "1");
      assertTrue(select.executeQuery().next());
      assertTrue(second.isClosed());
    }
    try (Connection connection = nodes.connect("");
        Statement statement = connection.createStatement()) {
      statement.closeOnCompletion();
      ResultSet first = statement.executeQuery(onNode(1, "SELECT id FROM t"));
      ResultSet second = statement.executeQuery(onNode(2, "SELECT id FROM t"));
      assertTrue(first.isClosed());
      assertFalse(statement.isClosed());
      second.close();
      assertTrue(statement.isClosed());
    }
  }

  @Test
  void connectionsThatNobodyUsesAreClosed() throws SQLException {
    String properties = "routing.idleSeconds=1&ApplicationName=unused";
    try (Connection connection = nodes.connect(properties);
        Connection direct = nodes.direct()) {
      execute(connection, "SET work_mem = '99kB'");
      int second = process(connection, 2);
      int first = process(connection, 1);
      String alive = "SELECT 1 FROM pg_stat_activity WHERE pid = ";
      while (!query(direct, alive + second).isEmpty()) {
        Thread.onSpinWait();
      }
      assertEquals(first, process(connection, 1), "the current one stays");
      assertNotEquals(second, process(connection, 2));
      assertEquals(List.of("99kB"), query(connection, "SHOW work_mem"));
    }
  }

  private void awaitRetired(String properties) throws SQLException {
    try (Connection unused = nodes.connect(properties);
        Connection direct = nodes.direct()) {
      int second = process(unused, 2);
      process(unused, 1);
      while (!query(direct, "SELECT 1 FROM pg_stat_activity WHERE pid = " + second).isEmpty()) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void aConnectionIsKeptForRowsThatMayBeChanged() throws SQLException {
    String properties = "routing.idleSeconds=1";
    try (Connection connection = nodes.connect(properties);
        Statement statement =
            connection.createStatement(
                ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
      ResultSet rows = statement.executeQuery(onNode(2, "SELECT id, v FROM t WHERE id = 20"));
      assertTrue(rows.next());
      process(connection, 1);
      awaitRetired(properties); // the look that closes this one may not have come to the other
      awaitRetired(properties);
      rows.updateInt(2, 77);
      rows.updateRow();
      assertEquals(List.of("77"), query(connection, "SELECT v FROM t WHERE id = 20"));
      rows.close();
      process(connection, 1);
    }
  }

  @Test
  void aPoolEndsWhatUnwrappingHasPinned() throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(nodes.url(""));
    config.setMaximumPoolSize(1);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      int backend;
      try (Connection connection = pool.getConnection()) {
        process(connection, 2);
        backend = connection.unwrap(PGConnection.class).getBackendPID();
        assertEquals(backend, process(connection, 1));
      }
      try (Connection connection = pool.getConnection()) {
        assertNotEquals(backend, process(connection, 1));
      }
    }
  }

  /** As with pgjdbc, where each waits until the others have their answers. */
  @Test
  void threadsShareAConnection() throws Exception {
    try (ExecutorService executor = Executors.newCachedThreadPool()) {
      for (int round = 0; round < 20; round++) {
        try (Connection connection = nodes.connect("routing.mode=random")) {
          CyclicBarrier barrier = new CyclicBarrier(4);
          List<Future<Object>> all = new ArrayList<>();
          for (int thread = 0; thread < 4; thread++) {
            String own = "" + thread;
            Callable<Object> work =
                () -> {
                  barrier.await();
                  for (int i = 0; i < 10; i++) {
                    assertEquals(
                        List.of(own), query(connection, "SELECT " + own + " FROM t WHERE id = 1"));
                  }
                  return null;
                };
            all.add(executor.submit(work));
          }
          for (Future<Object> each : all) {
            each.get();
          }
        }
      }
    }
  }

  /** It has to reach pgjdbc's own connection for that. */
  @Test
  void aThreadMayCancelWhatAnotherOneRuns() throws Exception {
    try (ExecutorService executor = Executors.newCachedThreadPool();
        Connection connection = nodes.connect("ApplicationName=cancelled")) {
      Future<SQLException> cancelled =
          executor.submit(
              () ->
                  assertThrows(SQLException.class, () -> query(connection, "SELECT pg_sleep(40)")));
      awaitSleep(nodes, "cancelled");
      connection.unwrap(PGConnection.class).cancelQuery();
      assertEquals("57014", cancelled.get().getSQLState());
      int backend = process(connection, 2);
      assertEquals(backend, process(connection, 1), "it is pinned all the same");
    }
  }

  /** Rather than open another one. */
  @Test
  void aThreadThatWaitsForAConnectionThatIsAbortedHearsThatItIsClosed() throws Exception {
    try (ExecutorService executor = Executors.newCachedThreadPool();
        TwoNodes own = new TwoNodes()) { // nobody else opens anything there
      Connection connection = own.connect("routing.mode=off&ApplicationName=awaited");
      int opened = own.first.accepted() + own.second.accepted();
      Future<SQLException> running =
          executor.submit(
              () ->
                  assertThrows(SQLException.class, () -> query(connection, "SELECT pg_sleep(40)")));
      awaitSleep(own, "awaited");
      AtomicReference<Thread> waiter = new AtomicReference<>();
      Future<SQLException> waiting =
          executor.submit(
              () -> {
                waiter.set(Thread.currentThread());
                return assertThrows(SQLException.class, () -> query(connection, "SELECT 1"));
              });
      while (waiter.get() == null || waiter.get().getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      connection.abort(Runnable::run);
      assertTrue(running.get().getSQLState().startsWith("08"), running.get().toString());
      assertEquals("08003", waiting.get().getSQLState());
      assertEquals(opened, own.first.accepted() + own.second.accepted());
    }
  }

  private static void awaitSleep(TwoNodes nodes, String application) throws SQLException {
    try (Connection direct = nodes.direct()) {
      String sleeping =
          "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND application_name = '"
              + application
              + "'";
      while (query(direct, sleeping).isEmpty()) {
        Thread.onSpinWait();
      }
    }
  }

  /** Whatever the driver makes of it for the nodes. */
  @Test
  void theUrlIsTheOneThatWasAskedFor() throws SQLException {
    String url = nodes.url("routing.mode=random&ApplicationName=asked");
    try (Connection connection = DriverManager.getConnection(url)) {
      assertEquals(url, connection.getMetaData().getURL());
    }
  }

  /** A node that accepts connections and says nothing. */
  @Test
  void connectingEndsWithTheTimeOfTheCall() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Gate gate = new Gate(nodes.first.port());
        Gate other = new Gate(silent.getLocalPort())) {
      List<Socket> taken = new ArrayList<>();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  while (true) {
                    taken.add(silent.accept());
                  }
                } catch (java.io.IOException e) {
                  taken.forEach(DriverLifeTest::close);
                }
              });
      String url =
          "jdbc:gauss://127.0.0.1:%d,127.0.0.1:%d/postgres?user=gauss&routing.discover=false"
              + "&connectTimeout=1000&loginTimeout=1000";
      try (Connection connection =
              DriverManager.getConnection(url.formatted(gate.port(), other.port()));
          Statement statement = connection.createStatement()) {
        gate.shut();
        statement.setQueryTimeout(1);
        assertThrows(SQLException.class, () -> statement.execute("SELECT 1 FROM pg_class"));
        assertThrows(SQLException.class, () -> statement.execute("SELECT 1 FROM pg_class"));
        assertFalse(connection.isValid(1));
      }
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
