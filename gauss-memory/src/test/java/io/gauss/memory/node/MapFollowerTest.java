package io.gauss.memory.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
        List.of(new LockMessage(TABLE, new Message.Request(1, LockMode.ROW_EXCLUSIVE, false))));
    server.done().join();
    assertEquals(
        List.of(dead),
        server.locks().lock(TABLE).leases().stream().map(lease -> lease.epoch()).toList());
    follower.follow(versions.getLast());
    server.done().join();
    assertEquals(List.of(), server.locks().lock(TABLE).leases());
  }
}
