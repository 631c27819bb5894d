package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.compute.pgwire.GateWaits;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.node.StorageNodes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What clients see of a lease that runs out: law 10, no lease, no answer. */
@Timeout(300)
class LeaseLapseTest {
  private static final String READ = "SELECT sum(v) FROM t";

  /** More than a block of answers, so that it is sent in parts. */
  private static final String READ_MUCH = "SELECT g FROM generate_series(1, 300000) AS g";

  private static final List<Integer> MAJORITY = List.of(202, 203);

  @TempDir private Path directory;
  private final ExecutorService clients = Executors.newCachedThreadPool();
  private StorageNodes nodes;

  @BeforeEach
  void start() throws IOException {
    nodes = new StorageNodes(directory, 3, Map.of("cluster.lease", "2"));
    nodes.start();
    nodes.awaitWell();
  }

  @AfterEach
  void stop() {
    clients.shutdownNow();
    nodes.close();
  }

  private OneNode compute(int timeoutSeconds) {
    OneNode node =
        new OneNode(
            directory.resolve("compute"),
            Map.of(
                "storage.timeout",
                Integer.toString(timeoutSeconds),
                "cluster.key",
                nodes.key().toString(),
                "storage.nodes",
                nodes.addresses().stream()
                    .map(StorageAddress::toString)
                    .collect(Collectors.joining(","))));
    StorageNodes.await("the table is made", () -> fill(node));
    return node;
  }

  private static boolean fill(OneNode node) {
    try {
      node.execute(
          "DROP TABLE IF EXISTS t",
          "CREATE TABLE t (id int PRIMARY KEY, v int)",
          "INSERT INTO t VALUES (1, 42)");
      return true;
    } catch (SQLException e) {
      if (!"57P03".equals(e.getSQLState())) {
        throw new IllegalStateException(e);
      }
      return false; // this machine's disk took longer than the node waits for it
    }
  }

  private void loseTheLease(OneNode compute) {
    MAJORITY.forEach(nodes::stop);
    StorageNodes.await("the lease runs out", () -> !answers(compute));
  }

  private static boolean answers(OneNode compute) {
    compute.node.engine().health().look();
    return compute.node.engine().health().problems().stream()
        .noneMatch(p -> p.what().contains("answers nobody"));
  }

  private Future<List<String>> read(Connection connection, String text) {
    return clients.submit(() -> OneNode.query(connection, text));
  }

  /** Returns when so many answers are held, that of this client among them. */
  private static void assertUnanswered(OneNode compute, Future<?> answer, int held) {
    StorageNodes.await(
        "the answer is held", () -> GateWaits.of(compute.node.server()) == held || answer.isDone());
    assertFalse(answer.isDone(), "the node has no lease");
  }

  @Test
  void answersAreHeldUntilTheLeaseIsBack() throws Exception {
    try (OneNode compute = compute(120);
        Connection one = compute.connect();
        Connection other = compute.connect()) {
      loseTheLease(compute);
      Future<List<String>> little = read(one, READ);
      assertUnanswered(compute, little, 1);
      Future<List<String>> much = read(other, READ_MUCH);
      assertUnanswered(compute, much, 2);
      Future<Connection> connecting = clients.submit(compute::connect);
      assertUnanswered(compute, connecting, 3);
      assertFalse(little.isDone() || much.isDone(), "the node has no lease");
      for (int node : MAJORITY) {
        nodes.start(node);
      }
      assertEquals(List.of("42"), little.get(60, TimeUnit.SECONDS));
      assertEquals(300_000, much.get(60, TimeUnit.SECONDS).size());
      try (Connection connected = connecting.get(60, TimeUnit.SECONDS)) {
        assertEquals(List.of("42"), OneNode.query(connected, READ));
      }
      assertEquals(List.of("42"), OneNode.query(one, READ), "the session continues");
    }
  }

  /** What libpq asks first, and the byte that is answered. */
  private static int askForEncryption(Socket client) throws IOException {
    ByteBuffer request = ByteBuffer.allocate(8).putInt(8).putInt(80877103);
    client.getOutputStream().write(request.array());
    return client.getInputStream().read();
  }

  @Test
  void whoeverConnectsMeanwhileHearsWhyItIsNotLetIn() throws Exception {
    try (OneNode compute = compute(1);
        Socket client = new Socket(InetAddress.getLoopbackAddress(), compute.node.port())) {
      loseTheLease(compute);
      // An error in the place of this answer is shown to nobody.
      assertEquals('N', askForEncryption(client));
      SQLException told = assertThrows(SQLException.class, compute::connect);
      assertEquals("57P03", told.getSQLState());
    }
  }

  @Test
  void whenItStaysAwayTheConnectionEnds() throws Exception {
    try (OneNode compute = compute(1);
        Connection connection = compute.connect()) {
      loseTheLease(compute);
      Future<List<String>> answer = read(connection, READ);
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> answer.get(60, TimeUnit.SECONDS));
      SQLException told = assertInstanceOf(SQLException.class, e.getCause());
      assertEquals("57P03", told.getSQLState());
      assertFalse(connection.isValid(1));
      for (int node : MAJORITY) {
        nodes.start(node);
      }
      StorageNodes.await("the lease is renewed", () -> answers(compute));
      assertEquals(List.of("42"), compute.query(READ));
    }
  }
}
