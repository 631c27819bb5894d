package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.redo.RedoType;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.remote.ClusterStatus;
import io.gauss.storage.remote.ClusterStatus.ReplicaState;
import io.gauss.storage.remote.RemoteStorage;
import io.gauss.storage.remote.StatusClient;
import io.gauss.storage.wire.NodeStatus;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The status of three storage nodes and of a stream on them, as a tool gets it. */
@Timeout(180)
class StorageStatusTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;
  private StorageNodes nodes;
  private Transport tool;
  private StatusClient client;

  @BeforeEach
  void start() throws IOException {
    nodes = new StorageNodes(directory, 3);
    nodes.start();
    nodes.awaitWell();
    tool =
        new TcpTransport(
            new TransportConfig(
                NodeIdentity.of(
                    NodeIdentity.MAX_NODE,
                    NodeRole.TOOL,
                    0,
                    new LamportClock(Lsn.MAX_NODE, Lsn.NONE)),
                ClusterKeyFile.read(nodes.key()),
                EpochGuard.NONE,
                TransportSettings.DEFAULTS,
                new SimpleMeterRegistry()),
            new TcpOptions(SocketIo.best(), 1, null));
    client = new StatusClient(tool, nodes.addresses());
  }

  @AfterEach
  void stop() {
    client.close();
    tool.close();
    nodes.close();
  }

  private static long append(ComputeStandIn compute, RemoteStorage storage) {
    long lsn = compute.clock.next(1);
    byte[] format =
        ByteBuffer.allocate(18)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put((byte) PageType.TREE)
            .putShort(16, (short) PageLayout.NO_HIGH_KEY)
            .array();
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(lsn).record(RedoType.FORMAT, PageId.of(7, 3), 0, format);
    CompletableFuture<AppendResult> done = new CompletableFuture<>();
    storage.stream()
        .append(
            storage.epoch(), storage.stream().endOffset(), lsn, lsn, mtrs.take(), done::complete);
    assertInstanceOf(AppendResult.Appended.class, done.orTimeout(60, TimeUnit.SECONDS).join());
    return lsn;
  }

  private ClusterStatus.Stream stream() {
    return client.status(LONG).streams().getFirst();
  }

  /** Waits until all replicas know that everything is durable, and have applied it. */
  private void awaitCaughtUp(long end) {
    StorageNodes.await(
        "all replicas have everything",
        () ->
            stream().replicas().stream()
                .allMatch(r -> r.said() != null && r.said().applied() == end));
  }

  /** Its list is of the day when its machine joined: the one that leads now came later. */
  @Test
  void aToolThatKnowsOneStorageNodeFindsTheOthersAndWhoLeads() {
    for (StorageAddress known : nodes.addresses()) {
      try (StatusClient other = new StatusClient(tool, List.of(known))) {
        StorageNodes.await(known + " tells who leads", () -> other.map(LONG).isPresent());
        assertEquals(3, other.status(LONG).nodes().size());
      }
    }
  }

  @Test
  void aToolSeesTheStreamItsReplicasAndTheMap() {
    assertTrue(client.status(LONG).isWritable());
    try (ComputeStandIn compute = new ComputeStandIn(nodes, 1);
        RemoteStorage storage = compute.open()) {
      long lsn = append(compute, storage);
      long end = storage.stream().endOffset();
      awaitCaughtUp(end);
      ClusterStatus.Stream stream = stream();
      assertEquals(storage.epoch(), stream.epoch());
      assertEquals(0, stream.start());
      assertEquals(end, stream.end());
      assertEquals(end, stream.durable());
      assertEquals(List.of(201, 202, 203), stream.replicas().stream().map(r -> r.node()).toList());
      for (ClusterStatus.Replica replica : stream.replicas()) {
        NodeStatus.Replica said = replica.said();
        assertEquals(end, said.logEnd());
        assertEquals(lsn, said.lastLsn());
        assertEquals(0, stream.lagBytes(replica));
        assertEquals(0, said.lagNanos());
        assertEquals(
            replica.node() == stream.leader() ? ReplicaState.LEADER : ReplicaState.FOLLOWER,
            replica.state());
      }
      MapAnswer.Status map = client.map(LONG).orElseThrow();
      assertEquals(NodeState.UP, map.map().nodes().get(1).state());
      assertTrue(map.leaseMillis().containsKey(1), "the compute node holds a lease");
    }
  }

  @Test
  void aNodeThatIsDownIsSilentAndTheStreamStillHasAMajority() {
    try (ComputeStandIn compute = new ComputeStandIn(nodes, 1);
        RemoteStorage storage = compute.open()) {
      append(compute, storage);
      awaitCaughtUp(storage.stream().endOffset());
      int leader = stream().leader();
      nodes.stop(leader);
      // Whoever is preferred of the two may take the lead over, and nobody leads for a moment.
      ClusterStatus[] last = new ClusterStatus[1];
      StorageNodes.await(
          "another leads",
          () -> {
            last[0] = client.status(LONG);
            return last[0].isWritable();
          });
      ClusterStatus.Stream stream = last[0].streams().getFirst();
      assertTrue(stream.leader() != leader);
      for (ClusterStatus.Replica replica : stream.replicas()) {
        assertEquals(replica.node() == leader, replica.state() == ReplicaState.SILENT);
      }
      for (int node : List.of(201, 202, 203)) {
        if (node != stream.leader()) {
          nodes.stop(node);
        }
      }
      assertFalse(client.status(LONG).isWritable());
    }
  }
}
