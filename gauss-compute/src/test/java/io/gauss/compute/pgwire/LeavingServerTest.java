package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.query;
import static io.gauss.compute.pgwire.WireMessages.startup;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.fault.FaultPoints;
import io.gauss.compute.node.CheckedNode;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whoever is connected with a node that leaves or stops hears why, in whatever state it is. */
@Timeout(300)
class LeavingServerTest {
  private static final String GAUSS = "gauss";

  @TempDir Path data;

  private ComputeNode start(Map<String, String> settings) {
    return ComputeNode.start(NodeSettings.load(data, 0, settings), new SimpleMeterRegistry());
  }

  private static byte[] hello() {
    return startup(PgProtocol.PROTOCOL_3_0, "user", GAUSS, "database", GAUSS);
  }

  @Test
  void aClientThatComesWhileTheNodeIsDrainedIsToldSo() throws Exception {
    try (ComputeNode node = start(Map.of());
        WireClient busy = WireClient.started(node.port(), GAUSS)) {
      busy.query("BEGIN");
      PgServer server = CheckedNode.server(node);
      var drained = server.drain(Duration.ofSeconds(60));
      try (WireClient late = new WireClient(node.port())) {
        late.send(hello());
        assertEquals(
            "FATAL 57P03 this node is being drained and takes no more connections\nclosed",
            late.readUntilClosed());
      }
      busy.send(query("COMMIT"));
      String last = busy.readUntilClosed();
      assertTrue(last.contains("FATAL 57P01"), last);
      drained.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aClientThatHasAnAdvisoryLockMayFinishWhatItDoesUnderIt() throws Exception {
    try (ComputeNode node = start(Map.of());
        WireClient idle = WireClient.started(node.port(), GAUSS);
        WireClient busy = WireClient.started(node.port(), GAUSS)) {
      busy.query("SELECT pg_advisory_lock(1)");
      var drained = CheckedNode.server(node).drain(Duration.ofSeconds(60));
      assertTrue(idle.readUntilClosed().contains("FATAL 57P01"));
      busy.query("CREATE TABLE t (a int)");
      busy.send(query("SELECT pg_advisory_unlock(1)"));
      String last = busy.readUntilClosed();
      assertTrue(last.contains("FATAL 57P01"), last);
      drained.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aClientThatIsAboutToLogInIsToldThatTheNodeStops() throws Exception {
    ComputeNode node = start(Map.of("auth.loopback", "scram"));
    try (WireClient client = new WireClient(node.port())) {
      client.send(hello());
      client.read(1);
      node.close();
      assertEquals(
          "FATAL 57P01 terminating connection due to administrator command\nclosed",
          client.readUntilClosed());
    } finally {
      node.close();
    }
  }

  @Test
  void aCommitThatIsNotDurableWhenTheNodeStopsIsToldToBeOpen() throws Exception {
    CountDownLatch answering = new CountDownLatch(1);
    try (ComputeNode node = start(Map.of());
        WireClient client = WireClient.started(node.port(), GAUSS)) {
      client.query("CREATE TABLE t (a int)");
      try (var silence = FaultPoints.arm("log.after-append", () -> await(answering))) {
        client.send(query("INSERT INTO t VALUES (1)"));
        PgServer server = CheckedNode.server(node);
        while (server.count(ConnectionState.LOG_WAIT) == 0) {
          LockSupport.parkNanos(1_000_000);
        }
        server.close();
        String last = client.readUntilClosed();
        assertTrue(last.contains("FATAL 57P01 the outcome of transaction"), last);
      } finally {
        answering.countDown();
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
