package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.query;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that asks for a large result and does not read it holds up nobody who ends it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GaussSlowClientTest {
  /** More than the buffers of both sides hold. */
  private static final String LARGE =
      "SELECT i, repeat('x', 1000) FROM generate_series(1, 1000000) i";

  private final GaussNode node = new GaussNode();
  private WireClient slow;
  private WireClient watcher;

  @BeforeEach
  void start() throws IOException {
    node.beforeAll(null);
    watcher = WireClient.started(node.port(), "gauss");
    slow = WireClient.started(node.port(), "gauss");
  }

  @AfterEach
  void stop() throws IOException {
    slow.close();
    watcher.close();
    node.afterAll(null);
  }

  /** Until the server has nothing more that it could send: its thread waits for the client. */
  private void awaitFullBuffers() throws IOException {
    int before = -1;
    int same = 0;
    while (same < 20) {
      watcher.query("SELECT count(*) FROM generate_series(1, 1000)");
      int now = slow.unread();
      same = now == before && now > 0 ? same + 1 : 0;
      before = now;
    }
  }

  private void awaitNone(String what) throws IOException {
    String question = "SELECT count(*) = 0 FROM " + what + " WHERE pid = " + slow.processId();
    while (!watcher.query(question).contains("DataRow t")) {
      Thread.onSpinWait();
    }
  }

  @Test
  void itIsTerminated() throws IOException {
    slow.send(query(LARGE));
    awaitFullBuffers();
    watcher.query("SELECT pg_terminate_backend(" + slow.processId() + ")");
    awaitNone("pg_stat_activity");
  }

  @Test
  void itsStatementTimesOut() throws IOException {
    slow.query("SET statement_timeout = '100ms'");
    slow.send(query(LARGE));
    awaitNone("gauss.transactions");
  }

  @Test
  void itsNodeIsDrained() throws Exception {
    slow.send(query(LARGE));
    awaitFullBuffers();
    watcher.close();
    node.server().drain(Duration.ofMillis(1)).get(60, TimeUnit.SECONDS);
    assertTrue(node.server().connections() == 0);
  }
}
