package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.compute.node.ForwardedClients;
import io.gauss.compute.node.WholeCluster;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.storage.node.StorageNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A cluster of two compute nodes: the one of the clients, {@link #HERE}, and the one to which what
 * begins with {@link #THERE_IS_BETTER} belongs. It has a table t with the row (1, 1).
 */
final class TwoNodes implements AutoCloseable {
  static final int HERE = 1;
  static final int THERE = 2;
  static final String THERE_IS_BETTER = "/*there*/ ";

  private static final BetterNode ROUTE =
      (text, values) -> text.startsWith(THERE_IS_BETTER) ? THERE : BetterNode.NOT_KNOWN;

  private final WholeCluster cluster;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  TwoNodes(Path directory) throws Exception {
    this(directory, Map.of());
  }

  /**
   * The same.
   *
   * @param more settings of compute nodes
   */
  TwoNodes(Path directory, Map<String, String> more) throws Exception {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("routing.reroute", "on");
    cluster = new WholeCluster(directory, 1, 2, 2, Map.of(), settings);
    reroutes(HERE).route(ROUTE);
    reroutes(HERE).timeOfDay(() -> 0); // of no trial
    try (Connection client = connect(HERE)) {
      run(client, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1)");
    }
    // Until then it is no node to which anything could be forwarded: tests count the reasons.
    StorageNodes.await(
        "the client's node knows that the other one serves",
        () ->
            cluster.node(HERE).nodes().stream()
                .anyMatch(node -> node.id() == THERE && node.state().startsWith("UP")));
  }

  /** Undoes what a test has changed that leaves both nodes as they are. */
  void reset() throws SQLException {
    reroutes(HERE).route(ROUTE);
    reroutes(THERE).forwarded().open(cluster.port(THERE), new byte[0]);
    try (Connection client = connect(HERE)) {
      run(client, "UPDATE t SET v = 1");
    }
  }

  WholeCluster cluster() {
    return cluster;
  }

  Reroutes reroutes(int node) {
    return cluster.node(node).reroutes();
  }

  /** Of the clients' node. */
  RerouteCounts counts() {
    return cluster.node(HERE).routing().reroutes();
  }

  /** Has the clients' node reach the other one through a port of the test's. */
  Relay relay() throws IOException {
    Relay relay = new Relay(cluster.port(THERE));
    reroutes(THERE).forwarded().open(relay.port(), new byte[0]);
    return relay;
  }

  // ---- clients

  Connection connect(int node) throws SQLException {
    return DriverManager.getConnection(cluster.url(node));
  }

  /** A client whose transactions go to the other node from now on. */
  Connection ready() throws SQLException {
    return ready("");
  }

  /**
   * The same.
   *
   * @param properties of the driver, each after an ampersand
   */
  Connection ready(String properties) throws SQLException {
    return ready(DriverManager.getConnection(cluster.url(HERE) + properties));
  }

  static Connection ready(Connection client) throws SQLException {
    return ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
  }

  /** The same without a driver. */
  WireClient wireClient() throws IOException {
    WireClient client = WireClient.started(cluster.port(HERE), "gauss");
    while (!client
        .query(THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE)
        .contains("DataRow " + THERE)) {
      Thread.yield();
    }
    return client;
  }

  /** Has it change a row at the other node, in a block that stays open. */
  static WireClient inBlock(WireClient client, int id) throws IOException {
    client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    client.query(THERE_IS_BETTER + "UPDATE t SET v = v + 1 WHERE id = " + id);
    return client;
  }

  static void run(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  static String value(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  static SQLException failure(Connection client, String text) {
    return assertThrows(SQLException.class, () -> run(client, text));
  }

  // ---- statements that are not answered

  <T> Future<T> begin(Callable<T> work) {
    return threads.submit(work);
  }

  /** Has something run at the other node that is not answered, for the relay is silent. */
  <T> Future<T> silently(Relay relay, Callable<T> statement) {
    long before = relay.swallowed();
    Future<T> answer = threads.submit(statement);
    while (relay.swallowed() == before) {
      Thread.yield();
    }
    return answer;
  }

  static void sendSilently(Relay relay, WireClient client, byte[]... messages) throws IOException {
    long before = relay.swallowed();
    client.send(messages);
    while (relay.swallowed() == before) {
      Thread.yield();
    }
  }

  @Override
  public void close() {
    cluster.close();
  }
}
