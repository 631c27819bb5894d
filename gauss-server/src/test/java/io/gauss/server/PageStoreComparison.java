package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PageStoreSettings;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/** The page stores of storage nodes, page by page. */
final class PageStoreComparison {
  private static final int STREAM = 1;
  private static final int SPACES = 256;

  /** So many pages that were never written, one after the other, are the end of a space. */
  private static final int GAP = 600;

  private static final Pattern CHECKPOINT = Pattern.compile("checkpoint at offset \\{1=(\\d+)");
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(300);

  /** A disk may be slower than usual once. */
  private static final int LOOKS = 2;

  private PageStoreComparison() {}

  /**
   * Waits until storage nodes that nobody writes to have made a checkpoint at the same offset, and
   * make no other.
   */
  static void awaitSameCheckpoint(List<Path> logs) throws IOException {
    long begin = System.nanoTime();
    List<OptionalLong> seen = new ArrayList<>();
    int looks = 0;
    while (System.nanoTime() - begin < PATIENCE_NANOS) {
      List<OptionalLong> now = new ArrayList<>();
      for (Path log : logs) {
        now.add(lastCheckpoint(log));
      }
      boolean isSame = now.getFirst().isPresent() && now.stream().distinct().count() == 1;
      looks = isSame && now.equals(seen) ? looks + 1 : 0;
      if (looks == LOOKS) {
        return;
      }
      seen = now;
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1500)); // longer than between two
    }
    throw new AssertionError("the storage nodes have checkpoints at different offsets: " + seen);
  }

  private static OptionalLong lastCheckpoint(Path log) throws IOException {
    if (!Files.exists(log)) {
      return OptionalLong.empty();
    }
    return CHECKPOINT
        .matcher(Files.readString(log))
        .results()
        .mapToLong(match -> Long.parseLong(match.group(1)))
        .reduce((first, second) -> second);
  }

  /**
   * Compares the stores of nodes that have stopped.
   *
   * @return pages that each has
   */
  static int assertSame(List<Path> nodes) {
    List<LocalPageStore> stores = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      for (Path node : nodes) {
        stores.add(LocalPageStore.open(node.resolve("pages"), PageStoreSettings.defaults()));
      }
      for (LocalPageStore store : stores) {
        assertEquals(
            stores.getFirst().checkpointOffset(STREAM), store.checkpointOffset(STREAM), "offset");
      }
      long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
      int pages = 0;
      for (int space = 0; space < SPACES; space++) {
        int missing = 0;
        for (int number = 0; missing < GAP; number++) {
          boolean there = compare(stores, PageId.of(space, number), page);
          missing = there ? 0 : missing + 1;
          pages += there ? 1 : 0;
        }
      }
      assertTrue(pages > 0, "there are no pages");
      return pages;
    } finally {
      stores.forEach(LocalPageStore::close);
    }
  }

  /** False when nobody has it. */
  private static boolean compare(List<LocalPageStore> stores, long pageId, long page) {
    byte[] first = null;
    for (LocalPageStore store : stores) {
      long lsn = store.readPage(pageId, page).join();
      byte[] bytes = new byte[PageLayout.PAGE_BYTES];
      Memory.copyOut(page, bytes, 0, bytes.length);
      if (first == null) {
        first = lsn == 0 ? new byte[PageLayout.PAGE_BYTES] : bytes;
      }
      assertTrue(
          Arrays.equals(first, bytes),
          () -> "page " + PageId.toString(pageId) + " is not the same on all storage nodes");
    }
    return !isZero(first);
  }

  private static boolean isZero(byte[] bytes) {
    for (byte b : bytes) {
      if (b != 0) {
        return false;
      }
    }
    return true;
  }
}
