package io.gauss.memory.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.LamportClock;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.local.LocalNetwork;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.gauss.memory.node.BucketServer.LockMessage;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.MapHistory;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the homes of a memory node are told of other nodes' deaths. */
class MapFollowerTest {
  private static final LockName TABLE = new LockName(LockName.Kind.TABLE, 42);

  private final List<ClusterMap> versions = MapHistory.twoDeathsAndReturns();
  private final Transport transport =
      new LocalNetwork().transport(TestNodes.config(MapHistory.MEMORY, NodeRole.MEMORY));
  private final ComputeLinks links = new ComputeLinks(transport, transport.self());
  private final BucketServer server =
      new BucketServer(
              "test",
              100,
              new PageDirectory("test", 1000),
              1 << 20,
              10,
              links,
              transport.allocator())
          .start();
  private final LamportClock clock = LamportClock.unnumbered();
  private final MapFollower follower =
      new MapFollower(
          List.of(server),
          links,
          clock,
          () -> versions.getFirst().nodes().get(MapHistory.MEMORY).epoch(),
          versions::getLast,
          new BucketMoves(MapHistory.MEMORY, command -> new CompletableFuture<>()));

  @AfterEach
  void close() {
    server.close();
    links.close();
    transport.close();
  }

  /** Rule 10: whoever gets a page of a dead node gets this clock with it. */
  @Test
  void theClockIsAboveAllAcknowledgementsBeforePagesOfADeadNodeAreGranted() {
    int acknowledged = 0;
    for (ClusterMap map : versions) {
      follower.follow(map);
      for (Death death : map.deaths().values()) {
        if (death.isAcknowledged() && map.isSealed(death)) {
          assertTrue(clock.now() >= death.clock(), "version " + map.version());
          acknowledged++;
        }
      }
    }
    assertTrue(acknowledged > 0);
  }

  @Test
  void theClockIsAboveThemAlsoWhenTheVersionsOfTheDeathAreMissed() {
    follower.follow(versions.getFirst());
    follower.follow(versions.getLast());
    assertTrue(clock.now() > 2 * MapHistory.CLOCK + 2);
  }

  private void report(ClusterMap map) {
    for (MapNode node : map.live(Role.COMPUTE)) {
      long homeEpoch = map.version() << 8;
      server.pages(
          node.slot(),
          node.epoch(),
          List.of(new ToHome.Reported(homeEpoch, TABLE.bucket(), node.slot(), 0)));
    }
  }

  /** Rule 35: a life whose death was missed leaves no locks at its homes. */
  @Test
  void theLocksOfALifeWhoseDeathWasMissedAreFree() {
    ClusterMap before = versions.getFirst();
    follower.follow(before);
    report(before);
    int dead = before.nodes().get(MapHistory.DIES).epoch();
    server.locks(
        dead,
        TABLE.bucket(),
        List.of(
            new LockMessage(TABLE, new Message.Request(1, LockMode.ROW_EXCLUSIVE, false, false))));
    server.done().join();
    assertEquals(
        List.of(dead),
        server.locks().lock(TABLE).leases().stream().map(lease -> lease.epoch()).toList());
    follower.follow(versions.getLast());
    server.done().join();
    assertEquals(List.of(), server.locks().lock(TABLE).leases());
  }

  private static int epoch(ClusterMap map, int node) {
    return map.nodes().get(node).epoch();
  }

  private void asksFor(int epoch, LockMode mode) {
    server.locks(
        epoch,
        TABLE.bucket(),
        List.of(new LockMessage(TABLE, new Message.Request(1, mode, false, false))));
    server.done().join();
  }

  private List<Integer> holders(LockMode mode) {
    return server.locks().lock(TABLE).leases().stream()
        .filter(lease -> lease.mode() == mode)
        .map(lease -> lease.epoch())
        .toList();
  }

  private void installDeaths(ClusterMap map) {
    map.deaths().values().forEach(death -> follower.install(death).join());
  }

  /** Rule 35: it takes the slot, for pages too. */
  @Test
  void theLifeAfterOneWhoseDeathWasMissedIsServed() {
    ClusterMap before = versions.getFirst();
    follower.follow(before);
    report(before);
    follower.follow(versions.getLast());
    int back = epoch(versions.getLast(), MapHistory.DIES);
    asksFor(back, LockMode.ROW_EXCLUSIVE);
    assertEquals(List.of(back), holders(LockMode.ROW_EXCLUSIVE));
  }

  /** Rule 35: the recoverer that died and is back is another heir under the same number. */
  @Test
  void whoRecoversGetsTheLocksOfTheDeadAlsoInItsNextLife() {
    List<ClusterMap> history = MapHistory.recovererDiesAndReturns();
    ClusterMap before = history.getFirst();
    follower.follow(before);
    report(before);
    asksFor(epoch(before, MapHistory.DIES), LockMode.ACCESS_EXCLUSIVE);
    ClusterMap recovering =
        history.stream()
            .filter(map -> map.isLive(MapHistory.STAYS, epoch(before, MapHistory.STAYS)))
            .toList()
            .getLast();
    follower.follow(recovering);
    installDeaths(recovering);
    ClusterMap last = history.getLast();
    installDeaths(last);
    follower.follow(last);
    int heir = epoch(last, MapHistory.STAYS);
    asksFor(heir, LockMode.ACCESS_EXCLUSIVE);
    assertEquals(List.of(epoch(before, MapHistory.DIES), heir), holders(LockMode.ACCESS_EXCLUSIVE));
  }

  private CompletableFuture<Void> afterReportsOf(ClusterMap map, int bucket, Integer... slots) {
    for (int slot : slots) {
      int epoch = map.holder(slot).orElseThrow().epoch();
      server.pages(slot, epoch, List.of(new ToHome.Reported(map.version() << 8, bucket, slot, 0)));
    }
    CompletableFuture<Void> open = server.open(bucket);
    server.done().join();
    return open;
  }

  /** Its second life is dead as well, and its stream not sealed: page stores lack its pages. */
  @Test
  void aSecondDeathInASlotIsWaitedForThoughTheFirstIsRecoveredInTheSameVersion() {
    List<ClusterMap> history = MapHistory.twoLivesEndAsAMemoryNodeDoes();
    follower.follow(history.getFirst());
    installDeaths(history.getFirst());
    ClusterMap last = history.getLast();
    follower.follow(last);
    assertFalse(afterReportsOf(last, MapHistory.MOVED, 1).isDone());
  }

  /** Rule 35: without compute nodes buckets go to another home at once, and come back as well. */
  @Test
  void bucketsThatWereElsewhereInVersionsThatWereMissedStartOver() {
    List<ClusterMap> history = MapHistory.bucketsLeaveAndReturn();
    int bucket = 0;
    while (history.get(1).buckets().home(bucket) == MapHistory.MEMORY) {
      bucket++;
    }
    follower.follow(history.getFirst());
    ClusterMap last = history.getLast();
    follower.follow(last);
    assertFalse(afterReportsOf(last, bucket).isDone(), "a compute node may have pages of it");
    assertTrue(afterReportsOf(last, bucket, 1).isDone());
  }

  /** The buckets of the map are those of this node's next process, whose homes have no equals. */
  @Test
  void aNodeWhoseEpochIsOverTakesNoBuckets() {
    List<ClusterMap> history = MapHistory.memoryNodeReturns();
    follower.follow(history.getFirst());
    server.done().join();
    int before = server.served();
    follower.follow(history.getLast());
    server.done().join();
    assertEquals(BucketMap.BUCKETS - 1, before);
    assertEquals(before, server.served());
  }
}
