package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.TwoNodes.HERE;
import static io.gauss.compute.pgwire.TwoNodes.THERE;
import static io.gauss.compute.pgwire.TwoNodes.THERE_IS_BETTER;
import static io.gauss.compute.pgwire.TwoNodes.value;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.transport.tcp.HostLookup;
import io.gauss.compute.node.ForwardedClients;
import io.gauss.compute.routing.RerouteCounts;
import java.net.InetAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections between a client's node and better ones are made while nobody waits for them. */
@Timeout(300)
class ForwardLinksTest {
  /** So long that a test which waits for it fails. */
  private static final int HOURS_MILLIS = 10_000_000;

  @TempDir Path directory;

  /** The node tells where to come to, and then says nothing. */
  @Test
  void noClientWaitsForANodeThatDoesNotAnswer() throws Exception {
    try (TwoNodes nodes = new TwoNodes(directory);
        Relay silent = new Relay(0)) {
      nodes.reroutes(HERE).openMillis(HOURS_MILLIS);
      nodes.reroutes(THERE).forwarded().open(silent.port(), new byte[0]);
      List<Connection> clients = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        Connection client = nodes.connect(HERE);
        clients.add(client);
        assertEquals("1", value(client, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
        assertEquals("1", value(client, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
      }
      while (silent.accepted() == 0) {
        Thread.yield();
      }
      assertEquals(1, silent.accepted());
      assertEquals(2, nodes.counts().stayed(RerouteCounts.Reason.OPENING));
      assertEquals(8, nodes.counts().stayed(RerouteCounts.Reason.UNREACHABLE));
      for (Connection client : clients) {
        client.close();
      }
    }
  }

  /** The name server does not answer for long. */
  @Test
  void nobodyWaitsWhileTheNameOfANodeIsLookedUp() throws Exception {
    try (TwoNodes nodes = new TwoNodes(directory, Map.of("peer.address", "localhost"));
        Connection client = nodes.connect(HERE)) {
      CountDownLatch asked = new CountDownLatch(1);
      CountDownLatch answers = new CountDownLatch(1);
      nodes.reroutes(HERE).openMillis(HOURS_MILLIS);
      nodes
          .reroutes(HERE)
          .addresses(
              new HostLookup(
                  name -> {
                    asked.countDown();
                    await(answers);
                    return InetAddress.getByName(name);
                  }));
      assertEquals("1", value(client, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
      asked.await();
      for (int i = 0; i < 10; i++) { // more than there are event loops
        try (Connection other = nodes.connect(HERE)) {
          assertEquals("1", value(other, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
        }
      }
      answers.countDown();
      TwoNodes.ready(client);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
