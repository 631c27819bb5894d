package io.gauss.storage.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.local.LocalNetwork;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.remote.ClusterStatus.ReplicaState;
import io.gauss.storage.wire.LogHold;
import io.gauss.storage.wire.NodeStatus;
import io.gauss.storage.wire.NodeStatusLayout;
import io.gauss.storage.wire.StorageMessages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The status for an operator, from the reports of three storage nodes about a stream. */
class ClusterStatusTest {
  private static final int STREAM = 1;

  private final List<ClusterStatus.Node> nodes = new ArrayList<>();

  private static NodeAddress address(int node) {
    return new NodeAddress("host", 7000 + node);
  }

  private static NodeStatus.Replica replica(
      int node, int leader, int term, long durable, long applied) {
    return new NodeStatus.Replica(
        STREAM,
        leader,
        true,
        leader == node,
        List.of(1, 2, 3),
        term,
        4,
        0,
        0,
        durable + 50,
        durable,
        0,
        applied,
        0,
        0,
        List.of(new LogHold(9, 90, 10L * node, durable - 10L * node, 5)));
  }

  private void says(int node, NodeStatus.Replica... replicas) {
    nodes.add(
        new ClusterStatus.Node(
            node, address(node), new NodeStatus(node, 0, 0, List.of(replicas), List.of()), null));
  }

  private void isSilent(int node) {
    nodes.add(new ClusterStatus.Node(node, address(node), null, "no answer"));
  }

  private ClusterStatus.Stream stream() {
    return ClusterStatus.of(nodes).streams().getFirst();
  }

  @Test
  void aStreamIsAsItsLeaderSaysAndEachReplicaAsItSays() {
    says(1, replica(1, 2, 5, 900, 800));
    says(2, replica(2, 2, 5, 1000, 1000));
    says(3, replica(3, 2, 5, 1000, 400));
    ClusterStatus.Stream stream = stream();
    assertEquals(2, stream.leader());
    assertEquals(4, stream.epoch());
    assertEquals(1050, stream.end());
    assertEquals(1000, stream.durable());
    assertEquals(
        List.of(ReplicaState.FOLLOWER, ReplicaState.LEADER, ReplicaState.FOLLOWER),
        stream.replicas().stream().map(ClusterStatus.Replica::state).toList());
    assertEquals(
        List.of(200L, 0L, 600L), stream.replicas().stream().map(stream::lagBytes).toList());
    assertEquals(List.of(new LogHold(9, 90, 20, 980, 5)), stream.holds());
    assertTrue(ClusterStatus.of(nodes).isWritable());
  }

  @Test
  void oneSilentNodeOfThreeLeavesAMajority() {
    says(1, replica(1, 1, 5, 900, 800));
    says(2, replica(2, 1, 5, 900, 800));
    isSilent(3);
    assertEquals(ReplicaState.SILENT, stream().replicas().getLast().state());
    assertTrue(stream().hasMajority());
    assertTrue(ClusterStatus.of(nodes).isWritable());
  }

  @Test
  void twoSilentNodesOfThreeAreTooMany() {
    says(1, replica(1, 0, 5, 900, 800));
    isSilent(2);
    isSilent(3);
    assertEquals(0, stream().leader());
    assertFalse(stream().hasMajority());
    assertFalse(ClusterStatus.of(nodes).isWritable());
  }

  @Test
  void aLeaderOfAnEarlierTermDoesNotCount() {
    says(1, replica(1, 1, 5, 2000, 800));
    says(2, replica(2, 2, 6, 1000, 800));
    says(3, replica(3, 2, 6, 900, 800));
    assertEquals(2, stream().leader());
    assertEquals(ReplicaState.FOLLOWER, stream().replicas().getFirst().state());
  }

  @Test
  void aReplicaThatItsNodeDoesNotKnowHasStopped() {
    says(1, replica(1, 1, 5, 900, 800));
    says(2);
    isSilent(3);
    assertEquals(ReplicaState.STOPPED, stream().replicas().get(1).state());
    assertFalse(ClusterStatus.of(nodes).isWritable());
  }

  @Test
  void nodesWithoutStreamsAreFineAndNoNodeAtAllIsNot() {
    says(1);
    says(2);
    isSilent(3);
    assertTrue(ClusterStatus.of(nodes).isWritable());
    nodes.clear();
    isSilent(1);
    assertFalse(ClusterStatus.of(nodes).isWritable());
  }

  @Test
  void aToolAsksWhoAnswersAndSaysWhoDoesNot() {
    LocalNetwork network = new LocalNetwork();
    NodeStatus said = new NodeStatus(1, 5, 6, List.of(replica(1, 1, 5, 900, 800)), List.of());
    try (Transport node = network.transport(TestNodes.config(1, NodeRole.STORAGE));
        Transport other = network.transport(TestNodes.config(2, NodeRole.STORAGE));
        Transport tool = network.transport(TestNodes.config(9, NodeRole.TOOL))) {
      Handlers handlers = new Handlers();
      handlers.on(
          StorageMessages.NODE_STATUS,
          request -> request.reply(NodeStatusLayout.write(node.allocator().buffer(), said)));
      NodeAddress listens = node.listen(new NodeAddress("local", 0), handlers);
      NodeAddress knowsNothing = other.listen(new NodeAddress("local", 0), new Handlers());
      List<StorageAddress> addresses =
          List.of(
              new StorageAddress(1, listens.host(), listens.port(), 1),
              new StorageAddress(2, knowsNothing.host(), knowsNothing.port(), 1),
              new StorageAddress(3, "local", 9999, 1));
      try (StatusClient client = new StatusClient(tool, addresses)) {
        ClusterStatus status = client.status(Duration.ofSeconds(20));
        assertEquals(said, status.nodes().getFirst().status());
        assertFalse(status.nodes().get(1).answers());
        assertTrue(
            status.nodes().get(1).failure().contains("does not know"),
            status.nodes().get(1).failure());
        assertFalse(status.nodes().get(2).answers());
        assertTrue(client.map(Duration.ofSeconds(20)).isEmpty(), "nobody here keeps a map");
      }
    }
  }
}
