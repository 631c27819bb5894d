package io.gauss.common.transport.tcp;

import static io.gauss.common.transport.TestNodes.take;
import static io.gauss.common.transport.TestNodes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportContract;
import io.gauss.common.transport.TransportHarness;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Nodes of one process, which listen on TCP and reach each other within the JVM. */
class TcpWithinProcessTest extends TransportContract {
  private final NodesOfProcess process = new NodesOfProcess();

  @Override
  protected TransportHarness harness() {
    return new TcpHarness(options(process));
  }

  /** Encrypted for all others. */
  private static TcpOptions options(NodesOfProcess nodes) {
    return new TcpOptions(SocketIo.best(), 1, TcpHarness.tls("one"), nodes);
  }

  private String ask(Transport from, NodeAddress address) {
    Peer peer = from.connect(address, 1);
    await(peer.connected());
    return take(await(peer.call(ECHO, text("there"), LONG)));
  }

  @Test
  void nobodyUsesTheNetworkWhoNeedNot() {
    connectedPeer();
    assertEquals(1, process.connections());
  }

  @Test
  void whoIsOfAnotherProcessUsesTheNetwork() {
    NodeAddress address = node(server).listen(harness.anyAddress(), handlers);
    try (Transport other = new TcpTransport(client, options(new NodesOfProcess()))) {
      assertEquals("there", ask(other, address));
    }
    try (Transport other = new TcpTransport(client, options(null))) {
      assertEquals("there", ask(other, address));
    }
    assertEquals(0, process.connections());
  }

  @Test
  void whoListensOnAllAddressesIsFoundByEach() {
    int port = node(server).listen(new NodeAddress("0.0.0.0", 0), handlers).port();
    Transport from = node(client);
    assertEquals("there", ask(from, new NodeAddress("127.0.0.1", port)));
    assertEquals("there", ask(from, new NodeAddress("127.0.0.2", port)));
    assertEquals(2, process.connections());
  }

  /** As a role that was drained: what refuses a connection proves that the node has ended. */
  @Test
  void whoDoesNotListenAnyMoreRefuses() {
    Transport ended = node(server);
    NodeAddress address = ended.listen(harness.anyAddress(), handlers);
    ended.close();
    Peer peer = node(client).connect(address, 1);
    assertThrows(CompletionException.class, () -> await(peer.call(ECHO, text(""), SHORT)));
    assertEquals(0, process.connections());
  }
}
