package io.gauss.common.transport.sim;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Distinguishes the silence of a side that sends nothing from a pause of the side that receives.
 */
class StandStillTest {
  private static final Duration LONGER_THAN_THE_PING_TIMEOUT = Duration.ofSeconds(10);

  private final SimulatedHarness harness = new SimulatedHarness(1);
  private final SimulatedTime time = harness.time();
  private final Transport server = harness.open(TestNodes.config(1, NodeRole.STORAGE));
  private final Transport client = harness.open(TestNodes.config(2, NodeRole.COMPUTE));
  private Peer peer;

  @BeforeEach
  void connect() {
    NodeAddress address = server.listen(harness.anyAddress(), new Handlers());
    peer = client.connect(address, 1);
    harness.await(peer.connected());
  }

  @AfterEach
  void close() {
    harness.network().healAll();
    peer.close();
    time.advance(Duration.ofSeconds(10)); // a dial may be under way
    client.close();
    server.close();
    harness.close();
  }

  @Test
  void aSideThatStoodStillDoesNotBlameTheOther() {
    time.standStill(LONGER_THAN_THE_PING_TIMEOUT);
    for (int i = 0; i < 100; i++) {
      time.advance(Duration.ofMillis(100));
      assertTrue(peer.isConnected());
    }
  }

  @Test
  void aSideThatSendsNothingIsGivenUpAllTheSame() {
    harness.network().cut(1, 2);
    time.advance(LONGER_THAN_THE_PING_TIMEOUT);
    assertFalse(peer.isConnected());
  }
}
