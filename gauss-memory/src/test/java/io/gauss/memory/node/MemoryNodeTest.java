package io.gauss.memory.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.gauss.memory.node.ComputeClient.Got;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.PageBuckets;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.node.StorageNodes;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory nodes in a cluster, over TCP. */
class MemoryNodeTest {
  private static final long PAGE = PageId.of(5, 9);
  private static final int BUCKET = PageBuckets.of(PAGE);

  @TempDir private Path directory;
  private StorageNodes storage;
  private final MeterRegistry meters = new SimpleMeterRegistry();

  @BeforeEach
  void startStorage() throws IOException {
    storage = new StorageNodes(directory, 1);
    storage.start();
  }

  @AfterEach
  void stopStorage() {
    storage.close();
  }

  private MemoryNode memory(int number) throws IOException {
    return MemoryNode.start(
        settings(number, Map.of()),
        config -> new TcpTransport(config, new TcpOptions(SocketIo.best(), 1, null)),
        meters);
  }

  private MemoryNodeSettings settings(int number, Map<String, String> more) throws IOException {
    Path own = directory.resolve("memory-" + number);
    Files.createDirectories(own);
    Map<String, String> overrides = new java.util.HashMap<>();
    overrides.put("cluster.key", storage.key().toString());
    overrides.put(
        "storage.nodes",
        storage.addresses().stream()
            .map(StorageAddress::toString)
            .collect(Collectors.joining(",")));
    overrides.put("threads.event-loops", "2");
    overrides.put("directory.entries", "10000");
    overrides.put("cache.size", "4MB");
    overrides.putAll(more);
    return MemoryNodeSettings.load(own, number, overrides);
  }

  @Test
  void pagesGoFromNodeToNodeAndComeBackFromMemory() throws Exception {
    try (MemoryNode memory = memory(101);
        ComputeClient one = new ComputeClient(storage, 1);
        ComputeClient two = new ComputeClient(storage, 2)) {
      one.awaitOpen(BUCKET);
      two.awaitOpen(BUCKET);
      assertEquals(PageBuckets.BUCKETS, one.map().buckets().count(101));
      one.wants(PAGE, Mode.WRITE);
      Got first = (Got) one.next();
      assertTrue(first.owned());
      two.wants(PAGE, Mode.WRITE);
      FromHome.Transfer transfer = (FromHome.Transfer) one.next();
      assertEquals(two.member.slot(), transfer.taker());
      assertEquals(two.member.epoch(), transfer.takerEpoch());
      assertEquals(first.number() + 1, transfer.number());
      two.send(PAGE, home -> new ToHome.Confirm(home, PAGE, transfer.number(), 0));
      assertEquals(transfer.number(), ((FromHome.Confirmed) one.next()).number());

      ByteBuf page = Unpooled.buffer().writeZero(PageLayout.PAGE_BYTES).setLongLE(0, 4711);
      long lsn = Lsn.of(100, two.member.slot());
      two.send(PAGE, home -> new ToHome.Release(home, PAGE, transfer.number(), lsn, page));
      two.wants(PAGE, Mode.READ);
      assertEquals(new Got(false, transfer.number() + 1, 4711L), two.next());
      assertEquals(1, meters.get("gauss.memory.cache.pages").gauge().value());
      assertEquals(1, meters.get("gauss.memory.directory.entries").gauge().value());
      awaitBuckets(memory, PageBuckets.BUCKETS);
      assertTrue(memory.problems().isEmpty());
    }
  }

  /** Its event loops and the map's other followers hear of a version at times of their own. */
  private static void awaitBuckets(MemoryNode node, int buckets) {
    StorageNodes.await(buckets + " buckets are served", () -> node.buckets() == buckets);
  }

  @Test
  void locksAreLeasedAndRecalled() throws Exception {
    LockName table = new LockName(LockName.Kind.TABLE, 42);
    try (MemoryNode memory = memory(101);
        ComputeClient one = new ComputeClient(storage, 1);
        ComputeClient two = new ComputeClient(storage, 2)) {
      assertTrue(memory.problems().isEmpty());
      one.awaitOpen(table.bucket());
      two.awaitOpen(table.bucket());
      one.send(table, new Message.Request(1, LockMode.ROW_EXCLUSIVE, false, false));
      LockAction.Grant lease = (LockAction.Grant) one.next();
      two.send(table, new Message.Request(1, LockMode.ACCESS_EXCLUSIVE, false, false));
      LockAction.Recall recall = (LockAction.Recall) one.next();
      assertEquals(LockMode.ROW_EXCLUSIVE.bit(), recall.modes());
      one.send(table, new Message.Release(lease.mode().bit(), recall.upTo()));
      assertEquals(
          new LockAction.Grant(two.member.epoch(), 1, LockMode.ACCESS_EXCLUSIVE, 2), two.next());
    }
  }

  @Test
  void bucketsOfANodeThatLeavesAreServedByTheOtherOnceComputeNodesHaveReported() throws Exception {
    MemoryNode first = memory(101);
    try (MemoryNode second = memory(102);
        ComputeClient compute = new ComputeClient(storage, 1)) {
      compute.awaitOpen(BUCKET);
      assertEquals(101, compute.map().buckets().home(BUCKET));
      awaitBuckets(second, PageBuckets.BUCKETS / 2);
      compute.wants(PAGE, Mode.WRITE);
      Got before = (Got) compute.next();
      first.close();
      compute.await(map -> map.buckets().home(BUCKET) == 102);
      compute.awaitOpen(BUCKET);
      compute.wants(PAGE, Mode.READ);
      Got after = (Got) compute.next();
      assertTrue(after.owned(), "nobody has reported it");
      assertTrue(after.number() > before.number(), "its numbers are above those before");
      awaitBuckets(second, PageBuckets.BUCKETS);
    } finally {
      first.close();
    }
  }

  @Test
  void bucketsMoveToANodeThatIsAddedAndAwayFromOneThatIsToLeave() throws Exception {
    try (MemoryNode first = memory(101);
        ComputeClient compute = new ComputeClient(storage, 1)) {
      compute.awaitOpen(BUCKET);
      MemoryNode added = memory(102);
      int some = 20;
      compute.await(map -> map.buckets().count(102) >= some);
      assertTrue(first.buckets() <= PageBuckets.BUCKETS - some);
      compute.awaitOpen(0); // the first to move: the client has reported to its new home
      ClusterMap before = compute.map();
      MapCommand drain = new MapCommand.Drain(102, before.nodes().get(102).epoch());
      assertEquals(
          MapResult.done(),
          compute.propose(drain).get(180, TimeUnit.SECONDS),
          "as `gauss drain` does it");
      added.drained().get(180, TimeUnit.SECONDS);
      added.close();
      compute.await(map -> map.isDead(102, before.nodes().get(102).epoch()));
      compute.await(map -> map.deaths().isEmpty());
      assertEquals(PageBuckets.BUCKETS, compute.map().buckets().count(101));
      assertTrue(
          compute.map().buckets().rebuilds().isEmpty(), "nothing was lost with the node that left");
      awaitBuckets(first, PageBuckets.BUCKETS);
    }
  }

  @Test
  void pagesOfAComputeNodeThatLeavesAreThereForOthers() throws Exception {
    try (MemoryNode memory = memory(101);
        ComputeClient two = new ComputeClient(storage, 2)) {
      assertTrue(memory.problems().isEmpty());
      two.awaitOpen(BUCKET);
      try (ComputeClient one = new ComputeClient(storage, 1)) {
        one.awaitOpen(BUCKET);
        one.wants(PAGE, Mode.WRITE);
        assertTrue(((Got) one.next()).owned());
      }
      two.awaitOpen(BUCKET); // repeated, since requests forwarded to the dead node are lost
      two.wants(PAGE, Mode.WRITE);
      assertTrue(((Got) two.next()).owned());
    }
  }

  @Test
  void aNodeThatLeftComesBackUnderItsNumber() throws Exception {
    memory(101).close();
    try (MemoryNode again = memory(101)) {
      assertTrue(again.problems().isEmpty());
    }
    try (ComputeClient compute = new ComputeClient(storage, 1)) {
      compute.await(map -> map.live(Role.MEMORY).isEmpty());
    }
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() {
    for (Map<String, String> wrong :
        java.util.List.of(
            Map.of("cache.size", "1KB"),
            Map.of("directory.entries", "10"),
            Map.of("threads.event-loops", "0"),
            Map.of("storage.nodes", "nowhere"))) {
      GaussException refused =
          assertThrows(GaussException.class, () -> settings(101, wrong), wrong.toString());
      assertEquals(SqlState.INVALID_PARAMETER_VALUE, refused.state());
    }
    GaussException unknown =
        assertThrows(GaussException.class, () -> settings(101, Map.of("pool.size", "1GB")));
    assertEquals(SqlState.UNDEFINED_OBJECT, unknown.state());
  }
}
