package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Clients that send anything. Each gets well-formed answers and, once it has no more to say, the
 * end of its connection; others do not notice, nothing is logged as an error, and nothing is left
 * of it: no session, no transaction, no lock, no buffer.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class WireFuzzTest {
  @RegisterExtension static final GaussNode TRUSTING = new GaussNode(Map.of("tls", "generate"));

  @RegisterExtension
  static final GaussNode ASKING = new GaussNode(Map.of("auth.loopback", "scram"));

  private static ResourceLeakDetector.Level levelBefore;
  private LogErrors log;

  @BeforeAll
  static void watchBuffers() throws IOException {
    levelBefore = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    try (WireClient client = WireClient.started(TRUSTING.port(), "gauss")) {
      client.query("CREATE TABLE fuzzed (id int PRIMARY KEY, v int)");
      client.query("CREATE TABLE fuzzed_in (id int, v text)");
      client.query("INSERT INTO fuzzed SELECT i, i FROM generate_series(1, 5) i");
    }
  }

  @AfterAll
  static void stopWatching() {
    ResourceLeakDetector.setLevel(levelBefore);
  }

  @BeforeEach
  void watchLog() {
    log = new LogErrors();
  }

  @AfterEach
  void stopWatchingLog() {
    log.close();
  }

  @Test
  void spoiltConversationsHarmNobody() throws IOException {
    fuzz(TRUSTING, false, 1_500, 10);
  }

  @Test
  void spoiltAuthenticationsHarmNobody() throws IOException {
    fuzz(ASKING, true, 500, 5);
  }

  @Test
  @Tag("long")
  void manySpoiltConversationsHarmNobody() throws IOException {
    fuzz(TRUSTING, false, Integer.MAX_VALUE, Long.getLong("gauss.fuzz.seconds", 300));
  }

  @Test
  @Tag("long")
  void manySpoiltAuthenticationsHarmNobody() throws IOException {
    fuzz(ASKING, true, Integer.MAX_VALUE, Long.getLong("gauss.fuzz.seconds", 300));
  }

  private void fuzz(GaussNode node, boolean sasl, int sessions, long seconds) throws IOException {
    long seed = Seeds.next();
    Random random = new Random(seed);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    int done = 0;
    for (; done < sessions && System.nanoTime() < end; done++) {
      List<byte[]> messages = Conversation.spoilt(random, sasl);
      String told = "-Dgauss.seed=" + seed + ", session " + done;
      try (WireClient client = new WireClient(node.port())) {
        talk(client, messages, random.nextInt(10) == 0, told);
      }
      if (done % 100 == 0) {
        assertEquals(List.of(), log.errors(), told);
        assertWorks(node, sasl);
      }
    }
    System.getLogger("fuzz").log(System.Logger.Level.INFO, done + " sessions");
    assertWorks(node, sasl);
    awaitNothingLeft(node);
    // Whatever was lost is found when it has been collected and something new is asked for.
    System.gc();
    for (int i = 0; i < 100; i++) {
      PooledByteBufAllocator.DEFAULT.buffer(16).release();
    }
    assertEquals(List.of(), log.errors(), "-Dgauss.seed=" + seed);
  }

  /**
   * @param abrupt whether the client does not wait for its answers
   */
  private static void talk(WireClient client, List<byte[]> messages, boolean abrupt, String told)
      throws IOException {
    try {
      client.send(messages.toArray(new byte[0][]));
      if (abrupt) {
        return;
      }
      client.endOfInput();
    } catch (java.net.SocketException e) {
      // The server has closed already.
      return;
    }
    try {
      client.drain();
    } catch (IOException e) {
      throw new AssertionError(told, e);
    }
  }

  private static void assertWorks(GaussNode node, boolean sasl) throws IOException {
    try (WireClient client = new WireClient(node.port())) {
      client.send(
          WireMessages.startup(PgProtocol.PROTOCOL_3_0, "user", "gauss", "database", "gauss"));
      if (sasl) {
        assertEquals("Authentication 10", client.read(1));
      } else {
        client.readUntilReady();
        String answer = client.query("SELECT 1");
        assertTrue(answer.contains("DataRow 1"), answer);
      }
    }
  }

  /** Sessions end after their connections; the timeout of the class ends this if they do not. */
  private static void awaitNothingLeft(GaussNode node) throws IOException {
    while (node.node().transactions().openSnapshots() > 0) {
      Thread.onSpinWait();
    }
    if (node == TRUSTING) {
      try (WireClient client = WireClient.started(node.port(), "gauss")) {
        String left =
            "SELECT (SELECT count(*) FROM pg_stat_activity), (SELECT count(*) FROM gauss.locks),"
                + " (SELECT count(*) FROM gauss.transactions WHERE pid <> pg_backend_pid())";
        while (!client.query(left).contains("DataRow 1|0|0")) {
          Thread.onSpinWait();
        }
      }
    }
  }
}
