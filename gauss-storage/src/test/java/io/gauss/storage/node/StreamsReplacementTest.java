package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.Peer;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.remote.PageCopies;
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
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A storage node takes the place of another one that keeps several streams, each in its own Raft
 * group. The beginning of one was trimmed; one is sealed, its writer is dead; two are written
 * continuously, also in pages that they share with each other and with the dead one.
 */
@Timeout(240)
class StreamsReplacementTest {
  private static final Duration WAIT = Duration.ofSeconds(30);

  /** Some 45 MB, more than a segment of the log. */
  private static final int WRITES_TO_TRIM = 95;

  private static final int MANY = 60;
  private static final int FEW = 4;

  @TempDir Path directory;
  private final Arena arena = Arena.ofShared();
  private final long destination = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
  private final PageWriter.SharedPages shared = new PageWriter.SharedPages();
  private final Map<Integer, Long> ends = new TreeMap<>();
  private StorageNodes nodes;
  private PageWriter trimmed;
  private PageWriter written;
  private PageWriter sealed;

  @BeforeEach
  void threeStreams() throws IOException {
    nodes = new StorageNodes(directory, 3, Map.of("log.keep", "1MB"));
    nodes.start();
    nodes.awaitWell();
    trimmed = new PageWriter(nodes, 1, shared);
    written = new PageWriter(nodes, 2, shared);
    sealed = new PageWriter(nodes, 3, shared);
    for (PageWriter writer : List.of(trimmed, written, sealed, trimmed, sealed)) {
      writer.writeOwn(FEW);
      writer.writeShared();
    }
    trim();
    seal();
  }

  /** Writes more than is kept, and lets the nodes purge the beginning. */
  private void trim() {
    for (int i = 0; i < WRITES_TO_TRIM; i++) {
      trimmed.writeOwn(MANY);
    }
    for (int node : List.of(201, 202, 203)) {
      awaitApplied(node, trimmed.stream(), trimmed.end());
      nodes.node(node).checkpoint();
    }
    for (int node : List.of(201, 202, 203)) {
      StorageNodes.await(
          "storage node " + node + " forgets", () -> readableFrom(node, trimmed.stream()) > 0);
    }
  }

  /** The writer dies, and the cluster map has its stream sealed. */
  private void seal() {
    for (int i = 0; i < 8; i++) {
      sealed.writeShared();
    }
    ends.put(sealed.stream(), sealed.end());
    int epoch = sealed.compute.member.epoch();
    sealed.close();
    StorageNodes.await(
        "the dead writer's stream is sealed",
        () ->
            Optional.ofNullable(trimmed.compute.map().streams().get(epoch))
                .filter(MapStream::sealed)
                .isPresent());
  }

  @AfterEach
  void stop() {
    sealed.close();
    written.close();
    trimmed.close();
    nodes.close();
    arena.close();
  }

  // ---- storage nodes

  private Optional<NodeStatus.Replica> replica(int node, int stream) {
    return nodes.node(node).status().replicas().stream()
        .filter(replica -> replica.stream() == stream)
        .findAny();
  }

  private long readableFrom(int node, int stream) {
    return replica(node, stream).map(NodeStatus.Replica::readableFrom).orElse(0L);
  }

  private void awaitApplied(int node, int stream, long end) {
    StorageNodes.await(
        "the pages of storage node " + node + ", stream " + stream,
        () -> replica(node, stream).map(NodeStatus.Replica::applied).orElse(0L) >= end);
  }

  // ---- replacing

  private void replace(int old, int by) {
    StorageNodes.await(
        "storage node " + by + " is a member",
        () -> trimmed.compute.map().node(by).filter(n -> n.state() == NodeState.UP).isPresent());
    for (StreamGroup group : List.copyOf(trimmed.compute.map().streamGroups().values())) {
      assertInstanceOf(
          MapResult.Refused.class, trimmed.compute.propose(new MapCommand.RetireStorage(old)));
      List<Integer> replicas =
          group.replicas().stream().map(node -> node == old ? by : node).toList();
      int leader = group.preferredLeader() == old ? by : group.preferredLeader();
      propose(new MapCommand.ChangeReplicas(group.slot(), replicas, leader));
      awaitMembers(group.slot(), replicas);
      StorageNodes.await(
          "the old one keeps nothing of stream " + group.slot(),
          () -> nodes.node(old) == null || replica(old, group.slot()).isEmpty());
    }
    propose(new MapCommand.RetireStorage(old));
  }

  private void propose(MapCommand command) {
    MapResult result = trimmed.compute.propose(command);
    assertInstanceOf(MapResult.Done.class, result, () -> command + ": " + result);
  }

  private void awaitMembers(int stream, List<Integer> members) {
    GroupId group = GroupId.stream(stream);
    StorageNodes.await(
        "members of " + group,
        () ->
            members.stream()
                .allMatch(
                    node ->
                        nodes.node(node).members(group).stream()
                            .map(GroupMember::node)
                            .collect(Collectors.toSet())
                            .equals(Set.copyOf(members))));
  }

  /** Writes until it is closed, at least once; every append has to succeed. */
  private static final class Load implements AutoCloseable {
    private final PageWriter writer;
    private final Thread thread;
    private final CompletableFuture<Integer> writes = new CompletableFuture<>();
    private volatile boolean ended;

    Load(PageWriter writer) {
      this.writer = writer;
      thread = Thread.ofPlatform().start(this::write);
    }

    private void write() {
      int count = 0;
      try {
        do { // also when the thread begins so late that the other work is done
          writer.writeOwn(FEW);
          writer.writeShared();
          count++;
        } while (!ended);
        writes.complete(count);
      } catch (Throwable failure) {
        writes.completeExceptionally(failure);
      }
    }

    @Override
    public void close() throws InterruptedException {
      ended = true;
      thread.join();
      assertTrue(writes.join() > 0, "stream " + writer.stream() + " was written meanwhile");
    }
  }

  // ---- expected content

  private void assertSamePages(List<Integer> on) {
    for (PageWriter writer : List.of(trimmed, written, sealed)) {
      ends.merge(writer.stream(), writer == sealed ? 0 : writer.end(), Math::max);
    }
    for (int node : on) {
      ends.forEach((stream, end) -> awaitApplied(node, stream, end));
    }
    Map<Long, Long> lsns = new TreeMap<>(shared.lsns());
    for (PageWriter writer : List.of(trimmed, written, sealed)) {
      lsns.putAll(writer.own());
    }
    lsns.forEach((page, lsn) -> assertSamePage(page, lsn, on));
    for (long page : shared.lsns().keySet()) {
      byte[] bytes = read(on.getFirst(), page);
      shared
          .counts(page)
          .forEach((slot, count) -> assertEquals(count, PageWriter.count(bytes, slot)));
    }
  }

  private void assertSamePage(long page, long lsn, List<Integer> on) {
    List<byte[]> copies = new ArrayList<>();
    for (int node : on) {
      copies.add(read(node, page));
    }
    assertEquals(
        lsn,
        ByteBuffer.wrap(copies.getFirst()).order(ByteOrder.LITTLE_ENDIAN).getLong(PageLayout.LSN));
    for (byte[] copy : copies) {
      assertArrayEquals(copies.getFirst(), copy, () -> PageId.toString(page) + " on " + on);
    }
  }

  private byte[] read(int node, long page) {
    Peer peer = trimmed.compute.peer(nodes, node);
    try {
      // After a restart of the node, there may be a pause before the next attempt to connect.
      peer.connected().get(60, TimeUnit.SECONDS);
      new PageCopies(trimmed.compute.transport().allocator(), () -> List.of(peer), WAIT)
          .read(page, ends, destination)
          .get(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(PageId.toString(page) + " on " + node, e);
    }
    byte[] bytes = new byte[PageLayout.PAGE_BYTES];
    Memory.copyOut(destination, bytes, 0, bytes.length);
    return bytes;
  }

  @Test
  void aDeadNodeIsReplacedInAllItsGroups() throws Exception {
    nodes.stop(203);
    int fresh;
    try (Load one = new Load(trimmed);
        Load two = new Load(written)) {
      fresh = nodes.add();
      replace(203, fresh);
    }
    List<Integer> all = List.of(201, 202, fresh);
    assertTrue(readableFrom(fresh, trimmed.stream()) > 0, "the log's beginning was gone");
    assertSamePages(all);
    nodes.awaitWell();
    goOnWithoutOneOfTheOld(fresh);
  }

  /** The new one counts for a majority in every group. */
  private void goOnWithoutOneOfTheOld(int fresh) throws IOException {
    nodes.stop(202);
    for (PageWriter writer : List.of(trimmed, written)) {
      writer.writeOwn(FEW);
      writer.writeShared();
    }
    assertSamePages(List.of(201, fresh));
    nodes.start(202);
    assertSamePages(List.of(201, 202, fresh));
  }

  @Test
  void aNodeThatIsAliveHandsAllItsStreamsOver() throws Exception {
    int fresh;
    try (Load one = new Load(trimmed);
        Load two = new Load(written)) {
      fresh = nodes.add();
      replace(201, fresh);
    }
    assertSamePages(List.of(202, 203, fresh));
  }

  @Test
  void theWriterOfASealedStreamComesBackAndWritesOnInTheNewMembers() throws Exception {
    nodes.stop(203);
    int fresh = nodes.add();
    replace(203, fresh);
    int slot = sealed.stream();
    long end = ends.get(slot);
    sealed = new PageWriter(nodes, 3, shared);
    assertEquals(slot, sealed.stream());
    assertEquals(end, sealed.end(), "what was sealed is where the new epoch begins");
    try (Load one = new Load(sealed);
        Load two = new Load(written)) {
      trimmed.writeShared();
    }
    ends.put(slot, sealed.end());
    assertSamePages(List.of(201, 202, fresh));
  }
}
