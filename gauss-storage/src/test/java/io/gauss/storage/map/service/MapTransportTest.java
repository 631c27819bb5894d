package io.gauss.storage.map.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.task.FreePorts;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.local.LocalNetwork;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Lease;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.PeerMapConnection;
import io.gauss.storage.map.client.StoragePeers;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The map over the transport, and probes of ports. */
@Timeout(300)
class MapTransportTest {
  @Test
  void requestsAnswersAndErrorsGoOverTheTransport() {
    LocalNetwork network = new LocalNetwork();
    try (MapNodes nodes = new MapNodes();
        Transport storage = network.transport(TestNodes.config(1, NodeRole.STORAGE));
        Transport compute = network.transport(TestNodes.config(9, NodeRole.COMPUTE))) {
      Handlers handlers = new Handlers();
      new MapTransportServer(nodes.services.get(0)).register(handlers);
      NodeAddress address = storage.listen(new NodeAddress("127.0.0.1", 0), handlers);
      try (Peer peer = compute.connect(address, 1);
          ClusterMapClient client = new ClusterMapClient(List.of(new PeerMapConnection(1, peer)))) {
        client.watch();
        assertEquals(
            nodes.map(),
            client
                .await(m -> m.version() == nodes.map().version())
                .orTimeout(60, TimeUnit.SECONDS)
                .join());
        CompletionException refused =
            assertThrows(
                CompletionException.class,
                () -> client.propose(new MapCommand.Evict(1, 1), MapNodes.LONG).join());
        GaussException error = assertInstanceOf(GaussException.class, refused.getCause());
        assertEquals(SqlState.INVALID_PARAMETER_VALUE, error.state());
      }
    }
  }

  @Test
  void aClientFindsTheStorageNodesFromOneAddress() {
    LocalNetwork network = new LocalNetwork();
    try (MapNodes nodes = new MapNodes();
        Transport storage = network.transport(TestNodes.config(1, NodeRole.STORAGE));
        Transport compute = network.transport(TestNodes.config(9, NodeRole.COMPUTE))) {
      Handlers handlers = new Handlers();
      new MapTransportServer(nodes.services.get(0)).register(handlers);
      NodeAddress nobody = new NodeAddress("127.0.0.1", 6_999);
      NodeAddress seed = storage.listen(new NodeAddress("127.0.0.1", 7_000), handlers);
      try (StoragePeers peers = new StoragePeers(compute, List.of(nobody, seed))) {
        peers
            .client()
            .await(m -> m.version() == nodes.map().version())
            .orTimeout(60, TimeUnit.SECONDS)
            .join();
        assertEquals(
            MapResult.done(), peers.client().propose(TestCluster.init(1), MapNodes.LONG).join());
        assertEquals(1, peers.client().status(MapNodes.LONG).join().leader());
      }
    }
  }

  private static MapNode listeningAt(int port) {
    return new MapNode(
        5,
        Set.of(Role.COMPUTE),
        1,
        "",
        List.of(
            new Endpoint(
                Endpoint.Purpose.PEER, InetAddress.getLoopbackAddress().getHostAddress(), port)),
        1,
        1,
        NodeState.UP,
        Lease.NONE,
        false);
  }

  /** Where the system speaks another language a refusal has other words. */
  @Test
  void onlyARefusalIsProofInWhateverLanguage() {
    TcpProber prober = new TcpProber(10_000, "Verbindungsaufbau abgelehnt");
    assertEquals(
        Prober.Found.REFUSED, prober.found(new ConnectException("Verbindungsaufbau abgelehnt")));
    assertEquals(
        Prober.Found.SILENT,
        prober.found(new ConnectException("Die Wartezeit für die Verbindung ist abgelaufen")));
    assertEquals(Prober.Found.SILENT, prober.found(new ConnectException(null)));
  }

  @Test
  void aClosedPortIsProofAndAnOpenOneIsNot() throws IOException {
    TcpProber prober = new TcpProber(10_000);
    int port = FreePorts.one(); // nobody else takes it once it is closed
    try (ServerSocket socket = new ServerSocket(port, 8, InetAddress.getLoopbackAddress())) {
      assertEquals(port, socket.getLocalPort());
      assertEquals(Prober.Found.ANSWERS, prober.probe(listeningAt(port)).join());
    }
    assertEquals(Prober.Found.REFUSED, prober.probe(listeningAt(port)).join());
  }
}
