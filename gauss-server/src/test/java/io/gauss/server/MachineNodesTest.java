package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.gauss.common.config.NodeKind;
import io.gauss.common.error.GaussException;
import io.gauss.common.task.FreePorts;
import io.gauss.server.join.ClusterAuthority;
import io.gauss.server.join.JoinToken;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.StreamGroup;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster of three machines, each with an address and a directory of its own and nothing else in
 * common: the addresses are of this machine's loopback interface, the ports the same on each.
 */
@Timeout(600)
class MachineNodesTest {
  private static final List<String> HOSTS = List.of("127.0.0.2", "127.0.0.3", "127.0.0.4");

  private static final String FOURTH = "127.0.0.5";

  @TempDir private Path parent;
  private final int nodePort = FreePorts.consecutive(NodeDescription.PORTS + 1);
  private final int clientPort = nodePort + NodeDescription.PORTS;
  private final Map<String, MachineNode> running = new TreeMap<>();

  @BeforeEach
  void checkAddresses() {
    assumeTrue(HOSTS.stream().allMatch(MachineNodesTest::isOfThisMachine), "only 127.0.0.1");
  }

  private static boolean isOfThisMachine(String host) {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  @AfterEach
  void stop() {
    // At once, as when the power of all is switched off in order: nobody waits for another's copy.
    CompletableFuture.allOf(
            running.values().stream()
                .map(node -> CompletableFuture.runAsync(node::close, Thread::startVirtualThread))
                .toArray(CompletableFuture[]::new))
        .join();
  }

  private Path data(String host) {
    return parent.resolve(host);
  }

  private NewMachine machine(String host, Map<String, String> more) throws IOException {
    return machine(host, 0, more);
  }

  private NewMachine machine(String host, int replaces, Map<String, String> more)
      throws IOException {
    Files.createDirectories(
        data(host),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Map<String, String> settings = new HashMap<>();
    settings.put("listen.address", host);
    settings.put("cluster.lease", "30"); // a busy machine may stand still for longer than usual
    settings.put("cluster.clock-lease", "5000");
    settings.put("storage.timeout", "20");
    settings.put("pool.size", "16MB");
    settings.put("pages.redo-memory", "16MB");
    settings.put("directory.entries", "10000");
    settings.put("cache.size", "8MB");
    settings.put("threads.event-loops", "1");
    settings.put("routing.learning", "off");
    settings.putAll(more);
    return new NewMachine(
        EnumSet.allOf(NodeKind.class), host, nodePort, clientPort, "", replaces, settings);
  }

  private void start(String host) {
    MachineNode node = MachineNode.start(data(host), role -> new SimpleMeterRegistry());
    running.put(host, node);
    assertTrue(node.connectionsWithin() > 0, "the roles of " + host + " use the network");
  }

  private JoinToken token() {
    Instant now = Instant.now();
    return ClusterAuthority.open(data(HOSTS.getFirst()))
        .tokens()
        .give(HOSTS.getFirst(), nodePort, now.plus(Duration.ofMinutes(10)), now);
  }

  private Connection connect(String host) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://" + host + ":" + clientPort + "/gauss?user=gauss&socketTimeout=60");
  }

  private List<String> query(String host, String text) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = connect(host);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(text)) {
      while (result.next()) {
        rows.add(result.getString(1));
      }
    }
    return rows;
  }

  private void run(String host, String text) throws SQLException {
    try (Connection connection = connect(host);
        Statement statement = connection.createStatement()) {
      statement.execute(text);
    }
  }

  /** Groups of streams, as any node's directory lets commands find out. */
  private List<List<Integer>> replicas(String host) throws IOException, InterruptedException {
    try (MapAccess cluster = new MapAccess(ClusterAccess.find(data(host)).orElseThrow())) {
      ClusterMap map = cluster.map();
      return map.streamGroups().values().stream().map(StreamGroup::replicas).toList();
    }
  }

  @Test
  void threeMachinesBecomeOneClusterAndAnyOfThemMayGoAndComeBack() throws Exception {
    String first = HOSTS.get(0);
    String second = HOSTS.get(1);
    String third = HOSTS.get(2);
    machine(first, Map.of()).found(data(first));
    start(first);
    run(first, "CREATE TABLE t (id int PRIMARY KEY, v text)");
    run(first, "INSERT INTO t VALUES (1, 'from the first')");
    assertEquals(List.of(List.of(201)), replicas(first));

    JoinToken token = token();
    NodeDescription joined =
        machine(second, Map.of()).join(data(second), token, token.host(), token.port());
    assertEquals(2, joined.node());
    RefusedException refused =
        assertThrows(
            RefusedException.class,
            () -> machine(third, Map.of()).join(data(third), token, first, nodePort));
    assertTrue(refused.getMessage().contains("used already"), refused.getMessage());
    start(second);
    assertEquals(List.of("from the first"), query(second, "SELECT v FROM t WHERE id = 1"));
    assertEquals(List.of(List.of(201, 202), List.of(201, 202)), replicas(second));

    machine(third, Map.of("advertise.address", "db-3.example.org:6432"))
        .join(data(third), token(), first, nodePort);
    start(third);
    run(third, "UPDATE t SET v = 'changed by the third' WHERE id = 1");
    List<Integer> all = List.of(201, 202, 203);
    assertEquals(List.of(all, all, all), replicas(first));

    // What clients are told, by each node alike.
    for (String host : HOSTS) {
      assertEquals(
          List.of(first + ":" + clientPort, second + ":" + clientPort, "db-3.example.org:6432"),
          query(
              host,
              "SELECT host || ':' || port::text FROM gauss.nodes WHERE role = 'compute' ORDER BY"
                  + " id"));
    }

    // The first one knows of all at its next start, although it has not been started anew.
    awaitNoted(first, "203@" + third);

    // One storage node of three may be away, and the first machine is as any other.
    running.remove(first).close();
    run(second, "INSERT INTO t VALUES (2, 'without the first')");
    start(first);
    assertEquals(
        List.of("changed by the third", "without the first"),
        query(first, "SELECT v FROM t ORDER BY id"));
    assertStatus(third);
  }

  @Test
  void aMachineComesBackAtAnotherAddressAndAnotherOneIsRemoved() throws Exception {
    String first = HOSTS.get(0);
    String second = HOSTS.get(1);
    String third = HOSTS.get(2);
    machine(first, Map.of()).found(data(first));
    start(first);
    for (String host : HOSTS.subList(1, HOSTS.size())) {
      machine(host, Map.of()).join(data(host), token(), first, nodePort);
      start(host);
    }
    run(first, "CREATE TABLE t (id int PRIMARY KEY)");

    running.remove(second).close();
    run(first, "INSERT INTO t VALUES (1)");
    Files.move(data(second), data(FOURTH));
    NodeDescription node = NodeDescription.read(data(FOURTH)).orElseThrow();
    new MachineDirectory(data(FOURTH)).move(node, node.at(FOURTH));
    new MachineDirectory(data(FOURTH)).set(node.at(FOURTH), Map.of("listen.address", FOURTH));
    start(FOURTH);
    run(FOURTH, "INSERT INTO t VALUES (2)");
    awaitNoted(first, "202@" + FOURTH);

    String any = data(FOURTH).toString();
    Commands.Outcome refused = Commands.run("remove", "3", "--data", any);
    assertEquals(2, refused.exitCode(), refused.error());
    assertTrue(refused.error().contains("--fewer-copies"), refused.error());
    running.remove(third).close();
    Commands.Outcome removed = Commands.run("remove", "3", "--fewer-copies", "--data", any);
    assertEquals(0, removed.exitCode(), removed.out() + removed.error());
    List<Integer> now = List.of(201, 202);
    assertEquals(List.of(now, now, now), replicas(first));
    run(first, "INSERT INTO t VALUES (3)");
    assertEquals(List.of("1", "2", "3"), query(FOURTH, "SELECT id FROM t ORDER BY id"));
    GaussException gone = assertThrows(GaussException.class, () -> start(third));
    assertTrue(gone.getMessage().contains("node 3 was removed"), gone.getMessage());
  }

  private void awaitNoted(String host, String node) throws IOException, InterruptedException {
    Path file = data(host).resolve("compute-1").resolve("gauss.properties");
    long begin = System.nanoTime();
    while (!Files.readString(file).replace("\\", "").contains(node)) {
      assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(60), file::toString);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  @Test
  @Tag("long")
  void aMachineTakesThePlaceOfALostOne() throws Exception {
    String first = HOSTS.getFirst();
    machine(first, Map.of()).found(data(first));
    start(first);
    for (String host : HOSTS.subList(1, HOSTS.size())) {
      machine(host, Map.of()).join(data(host), token(), first, nodePort);
      start(host);
    }
    run(first, "CREATE TABLE t (id int PRIMARY KEY)");
    String lost = HOSTS.get(1);
    JoinToken token = token();
    RefusedException alive =
        assertThrows(
            RefusedException.class,
            () -> machine(FOURTH, 2, Map.of()).join(data(FOURTH), token, first, nodePort));
    assertTrue(alive.getMessage().contains("node 2 is alive"), alive.getMessage());
    running.remove(lost).close();
    run(first, "INSERT INTO t VALUES (1)");
    NodeDescription joined =
        machine(FOURTH, 2, Map.of()).join(data(FOURTH), token, first, nodePort);
    assertEquals(4, joined.node());
    start(FOURTH);
    assertEquals(List.of("1"), query(FOURTH, "SELECT id FROM t"));
    List<Integer> now = List.of(201, 203, 204);
    assertEquals(List.of(now, now, now, now), replicas(first));
    assertEquals(0, NodeDescription.read(data(FOURTH)).orElseThrow().replaces());
  }

  /** As {@code nodes.json} is written by whoever runs the node. */
  private void assertStatus(String host) throws IOException {
    new ClusterFile(running.get(host).report(3, "node")).write(data(host));
    Commands.Outcome status = Commands.run("status", "--data", data(host).toString());
    String text = String.join("\n", status.out());
    assertEquals(0, status.exitCode(), text);
    for (String part : Arrays.asList("203", "103", "127.0.0.2", "127.0.0.3")) {
      assertTrue(text.contains(part), text);
    }
  }
}
