package io.gauss.storage.raft.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.codec.MapCommandCodec;
import io.gauss.storage.map.codec.MapResultCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import io.gauss.storage.map.service.ClusterMapState;
import io.gauss.storage.map.service.ReplicatedLog.Proposed;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupNodes;
import io.gauss.storage.raft.GroupReplica;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of the map's group, on three storage nodes that stop, start and fall behind. */
@Timeout(180)
public abstract class ClusterMapGroupContract {
  private static final GroupId GROUP = GroupId.clusterMap();
  private static final UUID CLUSTER = new UUID(1, 2);

  private final ClusterMapState[] states = new ClusterMapState[3];
  private final ClusterMapGroup[] groups = new ClusterMapGroup[3];
  private GroupNodes nodes;

  /**
   * Three nodes that do not run yet.
   *
   * @param replicas makes a node's replicas of groups
   */
  protected abstract GroupNodes nodes(IntFunction<GroupReplica.Factory> replicas);

  @BeforeEach
  void start() {
    nodes =
        nodes(
            node -> {
              states[node] = new ClusterMapState();
              groups[node] =
                  new ClusterMapGroup(
                      states[node],
                      leader ->
                          CompletableFuture.completedFuture(
                              groups[leader.orElseThrow()].snapshot()));
              return group -> groups[node].newReplica();
            });
    for (int node = 0; node < 3; node++) {
      start(node);
    }
    nodes.addGroup(GROUP);
  }

  private void start(int node) {
    groups[node] = null;
    nodes.start(node);
    groups[node].attach(nodes.host(node));
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  /** Proposes to the leader, until a node returns the outcome. */
  private MapResult propose(MapCommand command) {
    while (true) {
      Proposed outcome =
          groups[nodes.awaitLeader(GROUP)]
              .propose(MapCommandCodec.encode(command))
              .orTimeout(60, TimeUnit.SECONDS)
              .join();
      if (outcome instanceof Proposed.Applied applied) {
        return MapResultCodec.decode(applied.result());
      }
    }
  }

  private MapResult init() {
    return propose(
        new MapCommand.InitCluster(
            CLUSTER, 1, ClusterSettings.DEFAULTS.with(ClusterSetting.STREAM_REPLICAS, 1)));
  }

  private static MapCommand.Register register(UUID cluster, String zone, long incarnation) {
    return new MapCommand.Register(
        cluster,
        0,
        0,
        Set.of(Role.STORAGE),
        zone,
        List.of(new Endpoint(Endpoint.Purpose.PEER, "127.0.0.1", 7_000)),
        incarnation,
        1,
        1);
  }

  private void awaitSame(int... replicas) {
    for (int replica : replicas) {
      GroupNodes.await(
          "replica " + replica,
          () -> states[replica].map().equals(states[nodes.awaitLeader(GROUP)].map()));
    }
  }

  @Test
  void allReplicasComeToTheSameMap() {
    assertEquals(MapResult.done(), init());
    assertInstanceOf(MapResult.Registered.class, propose(register(CLUSTER, "", 5)));
    awaitSame(0, 1, 2);
    assertEquals(1, states[0].map().nodes().size());
  }

  @Test
  void theMapOutlivesItsLeaderAndARestartOfAll() {
    init();
    propose(register(CLUSTER, "", 5));
    nodes.stop(nodes.awaitLeader(GROUP));
    MapResult again = propose(register(CLUSTER, "", 5));
    assertEquals(new MapResult.Registered(1, 0, 1, 0), again);
    nodes.close();
    for (int node = 0; node < 3; node++) {
      start(node);
    }
    assertEquals(again, propose(register(CLUSTER, "", 5)));
    awaitSame(0, 1, 2);
  }

  @Test
  void aReplicaThatFellBehindTheOthersLogsFetchesTheMapAndOneThatRestartsReadsItsSnapshot() {
    init();
    nodes.stop(2);
    UUID stranger = new UUID(9, 9);
    String zone = "z".repeat(20_000);
    for (int i = 1; i <= 20; i++) {
      MapResult.Refused refused =
          assertInstanceOf(MapResult.Refused.class, propose(register(stranger, zone, i)));
      assertEquals(Refusal.WRONG_CLUSTER, refused.why());
    }
    propose(register(CLUSTER, "", 5));
    for (int node = 0; node < 2; node++) {
      nodes.host(node).forget(GROUP).orTimeout(60, TimeUnit.SECONDS).join();
    }
    start(2);
    awaitSame(0, 1, 2);
    ClusterMap before = states[0].map();
    nodes.close();
    for (int node = 0; node < 3; node++) {
      start(node);
    }
    awaitSame(0, 1, 2);
    assertEquals(before, states[0].map());
  }
}
