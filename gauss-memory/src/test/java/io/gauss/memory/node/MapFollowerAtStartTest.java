package io.gauss.memory.node;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.LamportClock;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Lease;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.SliceMap;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A memory node that learns from its first map that a compute node has just died. */
class MapFollowerAtStartTest {
  private static final int BUCKET = 17;
  private static final int SELF = 1;
  private static final int SLOT = 2;
  private static final int EPOCH = 6;
  private static final int DEAD_SLOT = 1;
  private static final int DEAD = 5;
  private static final long VERSION = 40;

  private final ComputeLinks links =
      new ComputeLinks(
          null, new NodeIdentity(SELF, NodeRole.MEMORY, () -> 1, LamportClock.unnumbered()));
  private final BucketServer server =
      new BucketServer(
              "test",
              100,
              new PageDirectory("test", 1000),
              1 << 20,
              10,
              links,
              UnpooledByteBufAllocator.DEFAULT)
          .start();
  private final MapFollower follower =
      new MapFollower(
          List.of(server),
          links,
          LamportClock.unnumbered(),
          () -> 1,
          () -> ClusterMap.EMPTY,
          new BucketMoves(SELF, command -> new CompletableFuture<>()));

  @AfterEach
  void close() {
    server.close();
    links.close();
  }

  private static MapNode compute(int id, int slot, int epoch, NodeState state) {
    return new MapNode(
        id, Set.of(Role.COMPUTE), slot, "", List.of(), 1, epoch, state, new Lease(1000, 0), false);
  }

  private static ClusterMap map(long version, boolean isSealed) {
    int[] homes = new int[BucketMap.BUCKETS];
    homes[BUCKET] = SELF;
    Death death =
        new Death(
            DEAD,
            2,
            DEAD_SLOT,
            Death.Evidence.PROOF_OF_EXIT,
            new TreeSet<>(),
            new TreeSet<>(),
            0,
            0,
            false);
    return new ClusterMap(
        version,
        new UUID(1, 2),
        ClusterMap.FORMAT_VERSION,
        ClusterSettings.DEFAULTS,
        9,
        9,
        0,
        new TreeMap<>(
            Map.of(
                2,
                compute(2, DEAD_SLOT, DEAD, NodeState.DEAD),
                3,
                compute(3, SLOT, EPOCH, NodeState.UP))),
        new TreeMap<>(),
        new TreeMap<>(
            Map.of(
                DEAD,
                new MapStream(DEAD, DEAD_SLOT, isSealed, isSealed ? 100 : 0, 0),
                EPOCH,
                MapStream.open(EPOCH, SLOT))),
        new TreeMap<>(),
        new TreeMap<>(Map.of(DEAD, death)),
        new BucketMap(homes, new TreeMap<>(), new TreeMap<>()),
        new TreeMap<>(),
        SliceMap.NONE);
  }

  private void reports(long homeEpoch) {
    server.pages(SLOT, EPOCH, List.of(new ToHome.Reported(homeEpoch, BUCKET, SLOT, 0)));
    server.done().join();
  }

  @Test
  void noBucketOpensWhilePageStoresMayLackPagesOfANodeThatDiedBefore() {
    CompletableFuture<Void> open = server.open(BUCKET);
    follower.follow(map(VERSION, false));
    reports(VERSION << 8);
    assertFalse(open.isDone(), "the dead node's stream is not sealed");
    follower.follow(map(VERSION + 1, true));
    reports((VERSION << 8) + 1);
    assertTrue(open.isDone());
  }

  @Test
  void aDeathThatIsOverDelaysNobody() {
    CompletableFuture<Void> open = server.open(BUCKET);
    follower.follow(map(VERSION, true));
    reports(VERSION << 8);
    assertTrue(open.isDone());
  }
}
