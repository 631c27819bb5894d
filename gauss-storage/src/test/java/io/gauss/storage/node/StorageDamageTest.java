package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.redo.RedoType;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.remote.RemoteStorage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three storage nodes, with flipped bits on the disk of one. */
@Timeout(180)
class StorageDamageTest {
  private static final int DAMAGED = 203;
  private static final int PAGES = 100;

  @TempDir Path directory;
  private final Arena arena = Arena.ofShared();
  private final long destination = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
  private final long[] lsns = new long[PAGES];
  private StorageNodes nodes;
  private ComputeStandIn compute;
  private RemoteStorage storage;

  @BeforeEach
  void start() throws IOException {
    nodes = new StorageNodes(directory, 3);
    nodes.start();
    nodes.awaitWell();
    compute = new ComputeStandIn(nodes, 1);
    storage = compute.open();
  }

  @AfterEach
  void stop() {
    storage.close();
    compute.close();
    nodes.close();
    arena.close();
  }

  /** Formats every page again, each in a separate batch, durably. */
  private void writeAll(int generation) {
    for (int page = 0; page < PAGES; page++) {
      long lsn = compute.clock.next(1);
      TestMtrs mtrs = new TestMtrs();
      mtrs.begin(lsn).record(RedoType.FORMAT, id(page), lsns[page], format(generation));
      lsns[page] = lsn;
      CompletableFuture<AppendResult> done = new CompletableFuture<>();
      storage.stream()
          .append(
              storage.epoch(), storage.stream().endOffset(), lsn, lsn, mtrs.take(), done::complete);
      assertInstanceOf(AppendResult.Appended.class, done.orTimeout(60, TimeUnit.SECONDS).join());
    }
  }

  private static long id(int page) {
    return PageId.of(7, page + 1);
  }

  private static byte[] format(int generation) {
    return ByteBuffer.allocate(18)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) PageType.TREE)
        .putInt(4, generation)
        .putShort(16, (short) PageLayout.NO_HIGH_KEY)
        .array();
  }

  private void assertAllReadAs(int generation) {
    for (int page = 0; page < PAGES; page++) {
      long lsn =
          storage
              .pages()
              .readPage(
                  id(page), storage.stream().streamId(), storage.stream().endOffset(), destination)
              .orTimeout(60, TimeUnit.SECONDS)
              .join();
      assertEquals(lsns[page], lsn);
      assertEquals(generation, Memory.getInt(destination + PageLayout.GENERATION));
    }
  }

  /** Flips a bit in the middle of each file with pages. */
  private void damagePages() throws IOException {
    int found = 0;
    try (var files = Files.walk(nodes.directory(DAMAGED).resolve("pages"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".blob")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        found++;
      }
    }
    assertTrue(found > 0, "there is something to damage");
  }

  private double meter(String name) {
    return nodes.meters(DAMAGED).get(name).meter().measure().iterator().next().getValue();
  }

  @Test
  void aDamagedPageIsRepairedWhileEverybodyReadsWhatIsRight() throws IOException {
    writeAll(1);
    awaitApplied();
    nodes.node(DAMAGED).checkpoint();
    nodes.stop(DAMAGED);
    damagePages();
    nodes.start(DAMAGED);
    assertAllReadAs(1);
    writeAll(2);
    StorageNodes.await(
        "the damaged page is met and repaired",
        () -> {
          tryCheckpoint();
          return meter("gauss.pages.repaired") == 1;
        });
    nodes.awaitWell();
    assertAllReadAs(2);
    awaitApplied();
    nodes.node(DAMAGED).checkpoint();
  }

  private void awaitApplied() {
    long end = storage.stream().endOffset();
    StorageNodes.await(
        "the damaged node has all",
        () ->
            nodes.node(DAMAGED).status().replicas().stream()
                .anyMatch(replica -> replica.applied() == end));
  }

  /** It fails while it encounters damage. */
  private void tryCheckpoint() {
    try {
      nodes.node(DAMAGED).checkpoint();
    } catch (GaussException e) {
      assertEquals(SqlState.DATA_CORRUPTED, e.state());
    }
  }
}
