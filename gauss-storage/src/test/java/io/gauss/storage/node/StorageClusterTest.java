package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.redo.RedoType;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.remote.RemoteStorage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three storage nodes with a cluster map, and nodes that join them. */
@Timeout(180)
class StorageClusterTest {
  private static final long PAGE = PageId.of(7, 3);

  @TempDir Path directory;
  private final Arena arena = Arena.ofShared();
  private final long destination = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
  private StorageNodes nodes;

  @BeforeEach
  void start() throws IOException {
    nodes = new StorageNodes(directory, 3);
    nodes.start();
    nodes.awaitWell();
  }

  @AfterEach
  void stop() {
    nodes.close();
    arena.close();
  }

  /** Formats the page under a fresh LSN, durably. */
  private static long write(ComputeStandIn compute, RemoteStorage storage, int value) {
    long lsn = compute.clock.next(1);
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(lsn).record(RedoType.FORMAT, PAGE, 0, format(value));
    CompletableFuture<AppendResult> done = new CompletableFuture<>();
    storage.stream()
        .append(
            storage.epoch(), storage.stream().endOffset(), lsn, lsn, mtrs.take(), done::complete);
    assertInstanceOf(AppendResult.Appended.class, done.orTimeout(60, TimeUnit.SECONDS).join());
    return lsn;
  }

  private static byte[] format(int generation) {
    return ByteBuffer.allocate(18)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) PageType.TREE)
        .putInt(4, generation)
        .putShort(16, (short) PageLayout.NO_HIGH_KEY)
        .array();
  }

  private long read(RemoteStorage storage) {
    return storage
        .pages()
        .readPage(PAGE, storage.stream().streamId(), storage.stream().endOffset(), destination)
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  @Test
  void aComputeNodeGetsASlotAStreamAndPagesAndItsSuccessorALaterEpoch() {
    int epoch;
    long lsn;
    try (ComputeStandIn first = new ComputeStandIn(nodes, 1);
        RemoteStorage storage = first.open()) {
      assertEquals(1, first.member.slot());
      assertTrue(first.member.isValid());
      epoch = first.member.epoch();
      lsn = write(first, storage, 5);
      assertEquals(1, Lsn.node(lsn));
      assertEquals(lsn, read(storage));
    }
    try (ComputeStandIn second = new ComputeStandIn(nodes, 1);
        RemoteStorage storage = second.open()) {
      assertTrue(second.member.epoch() > epoch);
      assertTrue(second.clock.now() >= lsn, "the clock is above the sealed stream");
      assertEquals(lsn, read(storage));
      assertTrue(write(second, storage, 6) > lsn);
      MapNode self = second.map().nodes().get(1);
      assertEquals(NodeState.UP, self.state());
      assertTrue(second.map().streams().get(epoch).sealed());
    }
  }

  @Test
  void whileAProcessHoldsTheLeaseAnotherDoesNotGetItsPlace() {
    try (ComputeStandIn first = new ComputeStandIn(nodes, 1);
        ComputeStandIn second = new ComputeStandIn(nodes, 1)) {
      first.join();
      CompletableFuture<?> joining = CompletableFuture.runAsync(second::join);
      StorageNodes.await(
          "the lease has been renewed",
          () -> first.map().nodes().get(1).lease().renewals() >= 0 && first.member.isValid());
      assertThrows(
          Exception.class, () -> joining.get(2, TimeUnit.SECONDS), "it waits for the first to end");
      assertTrue(first.member.isValid());
      first.close();
      joining.orTimeout(60, TimeUnit.SECONDS).join();
      assertTrue(second.member.epoch() > 0);
    }
  }

  @Test
  void theClusterOutlivesARestartOfAllItsStorageNodes() throws IOException {
    long lsn;
    try (ComputeStandIn compute = new ComputeStandIn(nodes, 1);
        RemoteStorage storage = compute.open()) {
      lsn = write(compute, storage, 5);
    }
    nodes.close();
    nodes.start();
    nodes.awaitWell();
    try (ComputeStandIn compute = new ComputeStandIn(nodes, 1);
        RemoteStorage storage = compute.open()) {
      assertEquals(lsn, read(storage));
      assertEquals(5, Memory.getInt(destination + PageLayout.GENERATION));
      assertEquals(3, compute.map().live(Role.STORAGE).size());
    }
  }

  @Test
  void aStorageNodeThatLostItsDiskDoesNotComeBackUnderItsNumber() throws IOException {
    nodes.stop(202);
    try (Stream<Path> files = Files.walk(nodes.directory(202))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    StorageNode empty = nodes.start(202);
    StorageNodes.await(
        "the node says what is wrong",
        () ->
            empty.problems().stream()
                .anyMatch(
                    problem -> problem.what().equals("the disk of storage node 202 was lost")));
    assertTrue(empty.groups().isEmpty());
    assertNotEquals(0, nodes.node(201).groups().size());
  }
}
