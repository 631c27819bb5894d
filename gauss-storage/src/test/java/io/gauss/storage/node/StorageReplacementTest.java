package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.fault.FaultPoints;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.redo.RedoType;
import io.gauss.common.transport.Peer;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.remote.PageCopies;
import io.gauss.storage.remote.RemoteStorage;
import io.gauss.storage.wire.NodeStatus;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A storage node takes the place of another one, while a compute node writes and reads. */
@Timeout(240)
class StorageReplacementTest {
  private static final int PAGES = 400;
  private static final int FEW = 4;
  private static final int MANY = 60;
  private static final Duration WAIT = Duration.ofSeconds(30);

  @TempDir Path directory;
  private final Arena arena = Arena.ofShared();
  private final long destination = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
  private final Map<Long, Long> lsns = new ConcurrentHashMap<>();
  private final Random random = new Random(11);
  private StorageNodes nodes;
  private ComputeStandIn compute;
  private RemoteStorage storage;
  private int stream;

  @BeforeEach
  void start() throws IOException {
    nodes = new StorageNodes(directory, 3, Map.of("log.keep", "1MB"));
    nodes.start();
    nodes.awaitWell();
    compute = new ComputeStandIn(nodes, 1);
    storage = compute.open();
    stream = storage.stream().streamId();
  }

  @AfterEach
  void stop() {
    storage.close();
    compute.close();
    nodes.close();
    arena.close();
  }

  /** Writes whole new images of a few pages, durably. */
  private void write(int pages) {
    TestMtrs mtrs = new TestMtrs();
    long base = compute.clock.next(pages);
    mtrs.begin(base);
    Map<Long, Long> written = new java.util.HashMap<>();
    int first = random.nextInt(PAGES);
    for (int i = 0; i < pages; i++) {
      long page = PageId.of(7, 1 + (first + i) % PAGES);
      written.put(
          page, mtrs.record(RedoType.IMAGE, page, lsns.getOrDefault(page, 0L), image(page)));
    }
    CompletableFuture<AppendResult> done = new CompletableFuture<>();
    storage.stream()
        .append(
            storage.epoch(),
            storage.stream().endOffset(),
            base,
            mtrs.lastLsn(),
            mtrs.take(),
            done::complete);
    assertInstanceOf(AppendResult.Appended.class, done.orTimeout(60, TimeUnit.SECONDS).join());
    lsns.putAll(written);
  }

  private byte[] image(long page) {
    byte[] bytes = new byte[4 + PageLayout.PAGE_BYTES - PageLayout.VERSION];
    random.nextBytes(bytes);
    ByteBuffer.wrap(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putShort(0, (short) PageLayout.HEADER_BYTES)
        .putShort(2, (short) PageLayout.HEADER_BYTES)
        .put(4, (byte) PageLayout.CURRENT_VERSION)
        .put(4 + PageLayout.TYPE - PageLayout.VERSION, (byte) PageType.TREE)
        .putLong(4 + PageLayout.PAGE_ID - PageLayout.VERSION, page);
    return bytes;
  }

  private void write(int pages, int times) {
    for (int i = 0; i < times; i++) {
      write(pages);
    }
  }

  /** Writes, and lets the nodes purge the beginning of the log. */
  private void writeMoreThanIsKept() {
    write(MANY, 95); // some 45 MB, more than a segment
    for (int node : running()) {
      awaitApplied(node);
      nodes.node(node).checkpoint();
    }
    for (int node : running()) {
      StorageNodes.await(
          "storage node " + node + " forgets",
          () -> replica(node).map(NodeStatus.Replica::readableFrom).orElse(0L) > 0);
    }
  }

  private List<Integer> running() {
    return nodes.addresses().stream()
        .map(address -> address.node())
        .filter(node -> nodes.node(node) != null)
        .toList();
  }

  private java.util.Optional<NodeStatus.Replica> replica(int node) {
    return nodes.node(node).status().replicas().stream()
        .filter(replica -> replica.stream() == stream)
        .findAny();
  }

  private void awaitApplied(int node) {
    long end = storage.stream().endOffset();
    StorageNodes.await(
        "the pages of storage node " + node,
        () -> replica(node).map(NodeStatus.Replica::applied).orElse(0L) >= end);
  }

  private void propose(MapCommand command) {
    MapResult result = compute.propose(command);
    assertInstanceOf(MapResult.Done.class, result, () -> command + ": " + result);
  }

  private void replace(int old, int by) {
    StorageNodes.await(
        "storage node " + by + " is a member",
        () -> compute.map().node(by).filter(n -> n.state() == NodeState.UP).isPresent());
    List<Integer> replicas =
        compute.map().streamGroups().get(stream).replicas().stream()
            .map(node -> node == old ? by : node)
            .toList();
    propose(new MapCommand.ChangeReplicas(stream, replicas, replicas.get(0)));
    awaitMembers(GroupId.stream(stream), replicas);
    // Not while it may lead, or has to learn that it is no longer a member.
    StorageNodes.await(
        "the old one keeps nothing", () -> nodes.node(old) == null || replica(old).isEmpty());
    propose(new MapCommand.RetireStorage(old));
  }

  private void awaitMembers(List<Integer> members) {
    for (GroupId group : List.of(GroupId.stream(stream), GroupId.clusterMap())) {
      awaitMembers(group, members);
    }
  }

  private void awaitMembers(GroupId group, List<Integer> members) {
    StorageNodes.await(
        "members of " + group,
        () ->
            members.stream()
                .allMatch(
                    node ->
                        nodes.node(node).members(group).stream()
                            .map(GroupMember::node)
                            .collect(Collectors.toSet())
                            .equals(java.util.Set.copyOf(members))));
  }

  private void assertSamePages(List<Integer> on) {
    Map<Integer, Long> floor = Map.of(stream, storage.stream().endOffset());
    lsns.forEach(
        (page, lsn) -> {
          byte[] first = null;
          for (int node : on) {
            byte[] bytes = read(node, page, floor);
            assertEquals(
                lsn, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(PageLayout.LSN));
            if (first != null) {
              assertArrayEquals(first, bytes, () -> PageId.toString(page) + " on " + node);
            }
            first = bytes;
          }
        });
  }

  private byte[] read(int node, long page, Map<Integer, Long> floor) {
    Peer peer = compute.peer(nodes, node);
    // After a restart of the node, there may be a pause before the next attempt to connect.
    peer.connected().orTimeout(60, TimeUnit.SECONDS).join();
    new PageCopies(compute.transport().allocator(), () -> List.of(peer), WAIT)
        .read(page, floor, destination)
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
    byte[] bytes = new byte[PageLayout.PAGE_BYTES];
    Memory.copyOut(destination, bytes, 0, bytes.length);
    return bytes;
  }

  /** Writes until it is closed, at least once; every append has to succeed. */
  private final class Load implements AutoCloseable {
    private volatile boolean ended;
    private final AtomicInteger count = new AtomicInteger();
    private final CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> {
              do {
                write(FEW);
                count.incrementAndGet();
              } while (!ended);
            });

    @Override
    public void close() {
      ended = true;
      writing.join();
      assertTrue(count.get() > 0, "something was written meanwhile");
    }
  }

  @Test
  void aDeadNodeIsReplacedByAnEmptyOneWhileTheStreamGoesOn() throws IOException {
    writeMoreThanIsKept();
    nodes.stop(203);
    int fresh;
    try (Load writing = new Load()) {
      assertFalse(writing.ended);
      fresh = nodes.add();
      replace(203, fresh);
      awaitMembers(List.of(201, 202, fresh));
    }
    assertTrue(replica(fresh).orElseThrow().readableFrom() > 0, "the log's beginning was gone");
    awaitApplied(fresh);
    assertSamePages(List.of(201, 202, fresh));
    nodes.awaitWell();
    nodes.stop(fresh);
    write(FEW, 3);
    nodes.start(fresh);
    awaitApplied(fresh);
    assertSamePages(List.of(201, fresh));
  }

  @Test
  void aNodeThatIsAliveHandsItsPlaceOver() throws IOException {
    writeMoreThanIsKept();
    int fresh;
    try (Load writing = new Load()) {
      assertFalse(writing.ended);
      fresh = nodes.add();
      replace(201, fresh); // which leads
      awaitMembers(List.of(202, 203, fresh));
    }
    awaitApplied(fresh);
    assertSamePages(List.of(202, 203, fresh));
  }

  @Test
  void theLeaderOfTheMapMayBeReplaced() throws IOException {
    write(FEW, 3);
    int old = leaderOfTheMap();
    List<Integer> members = new ArrayList<>(running());
    members.remove((Integer) old);
    int fresh = nodes.add();
    members.add(fresh);
    replace(old, fresh);
    awaitMembers(members);
    awaitApplied(fresh);
    assertSamePages(members);
  }

  private int leaderOfTheMap() {
    int[] leader = new int[1];
    StorageNodes.await(
        "somebody leads the map",
        () -> {
          running().stream().filter(this::leadsTheMap).forEach(node -> leader[0] = node);
          return leader[0] != 0;
        });
    return leader[0];
  }

  private boolean leadsTheMap(int node) {
    return nodes.node(node).groups().stream()
        .anyMatch(group -> group.group().equals(GroupId.clusterMap()) && group.leads());
  }

  @Test
  void aRebuildThatIsCutOffBeginsAgain() throws IOException {
    writeMoreThanIsKept();
    nodes.stop(203);
    AtomicInteger chunks = new AtomicInteger();
    int fresh;
    try (FaultPoints.Armed armed =
        FaultPoints.arm(
            "rebuild.install",
            () -> {
              if (chunks.incrementAndGet() == 5) {
                throw new IllegalStateException("cut off for a test");
              }
            })) {
      fresh = nodes.add();
      replace(203, fresh);
      awaitMembers(List.of(201, 202, fresh));
    }
    assertTrue(chunks.get() > 5, "it was cut off");
    awaitApplied(fresh);
    assertSamePages(List.of(201, 202, fresh));
  }

  @Test
  void aReplicaThatWasAwayForLongIsRebuiltFromTheOthersPages() throws IOException {
    write(FEW, 20);
    nodes.stop(203);
    writeMoreThanIsKept();
    try (Load writing = new Load()) {
      assertFalse(writing.ended);
      nodes.start(203);
      awaitApplied(203);
    }
    awaitApplied(203);
    assertSamePages(List.of(201, 202, 203));
    nodes.awaitWell();
  }

  @Test
  void leadershipReturnsToWhomTheMapPrefers() throws IOException {
    int preferred = compute.map().streamGroups().get(stream).preferredLeader();
    nodes.stop(preferred);
    write(FEW, 3);
    nodes.start(preferred);
    StorageNodes.await(
        "the preferred one leads again",
        () -> replica(preferred).map(NodeStatus.Replica::leads).orElse(false));
    int other = preferred == 202 ? 203 : 202;
    propose(new MapCommand.ChangeReplicas(stream, List.of(201, 202, 203), other));
    StorageNodes.await(
        "the one that is preferred now leads",
        () -> replica(other).map(NodeStatus.Replica::leads).orElse(false));
    write(FEW, 3);
  }
}
