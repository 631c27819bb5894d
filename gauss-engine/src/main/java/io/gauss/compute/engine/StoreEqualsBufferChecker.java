package io.gauss.compute.engine;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.SpaceDirectoryLayout;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.storage.api.PageReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Law 1 (do = redo) as a check: every page in the buffer pool has the same bytes, at the same LSN,
 * as every page store's fold of the redo. Only the checksum is not compared: it is set when a page
 * leaves memory and has no meaning in memory.
 *
 * <p>A storage node that cannot be reached, or is too far behind, is left out for the rest of the
 * check; with none left the check fails.
 */
public final class StoreEqualsBufferChecker implements Checker {
  private static final Logger LOG = LoggerFactory.getLogger(StoreEqualsBufferChecker.class);
  private static final int ATTEMPTS = 5;
  private static final long OTHERS_NANOS = 20_000_000_000L;
  private static final long OTHERS_PAUSE_NANOS = 1_000_000;

  private final BufferPool pool;
  private final Supplier<Map<String, PageReader>> stores;
  private final LogBuffer log;

  /**
   * @param stores all page stores that keep the pages, by name
   */
  StoreEqualsBufferChecker(
      BufferPool pool, Supplier<Map<String, PageReader>> stores, LogBuffer log) {
    this.pool = pool;
    this.stores = stores;
    this.log = log;
  }

  @Override
  public String name() {
    return "page store equals buffer pool";
  }

  @Override
  public void check(EngineContext ctx) {
    log.awaitDurable(ctx, log.reservedLsn());
    try (Arena arena = Arena.ofShared()) {
      long mine = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
      long stored = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
      Map<String, PageReader> reachable = new TreeMap<>(stores.get());
      for (long pageId : pool.residentPages()) {
        for (Map.Entry<String, PageReader> store : List.copyOf(reachable.entrySet())) {
          try {
            check(ctx, pageId, store, mine, stored);
          } catch (CompletionException e) {
            leaveOut(reachable, store.getKey(), e);
          }
        }
      }
    }
  }

  private static void leaveOut(
      Map<String, PageReader> reachable, String name, CompletionException e) {
    boolean isAbsent =
        e.getCause() instanceof GaussException failure
            && failure.state() != SqlState.DATA_CORRUPTED;
    if (!isAbsent || reachable.size() == 1) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
    LOG.warn("pages are not compared with {}: {}", name, e.getCause().getMessage());
    reachable.remove(name);
  }

  /** A page that is written meanwhile is tried again, and skipped if that continues. */
  private void check(
      EngineContext ctx, long pageId, Map.Entry<String, PageReader> store, long mine, long stored) {
    ctx.interrupts().check();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (!copy(ctx, pageId, mine) || lsn(mine) == Lsn.NONE) {
        return;
      }
      boolean isOwn = PageView.stream(mine) == log.streamId();
      if (isOwn && lsn(mine) > log.durableLsn()) {
        log.awaitDurable(ctx, lsn(mine));
      }
      store.getValue().readPage(pageId, log.streamId(), log.durableOffset(), stored).join();
      if (lsn(stored) == Lsn.NONE && isDeleted(store.getValue(), pageId, stored)) {
        return; // of a dropped table; frames of it go by eviction
      }
      if (!isOwn) {
        awaitOthers(ctx, pageId, store.getValue(), mine, stored);
      }
      if (lsn(mine) == lsn(stored) || !hasChanged(ctx, pageId, mine)) {
        compare(pageId, store.getKey(), mine, stored);
        return;
      }
    }
  }

  /**
   * How far the store has applied another node's stream is not known here: this may have to wait
   * for a page that the other node wrote last, and a copy may have changes that are not durable
   * there yet.
   */
  private void awaitOthers(
      EngineContext ctx, long pageId, PageReader store, long mine, long stored) {
    long start = Environment.nanoTime();
    while (lsn(stored) < lsn(mine)
        && Environment.nanoTime() - start < OTHERS_NANOS
        && !hasChanged(ctx, pageId, mine)) {
      ctx.interrupts().check();
      Environment.parkNanos(OTHERS_PAUSE_NANOS);
      store.readPage(pageId, log.streamId(), log.durableOffset(), stored).join();
    }
  }

  /** Whether the store has deleted the page's space. */
  private boolean isDeleted(PageReader store, long pageId, long directory) {
    int space = PageId.space(pageId);
    store
        .readPage(
            SpaceDirectoryLayout.pageId(space), log.streamId(), log.durableOffset(), directory)
        .join();
    boolean deleted =
        PageView.type(directory) == PageType.SPACE_DIRECTORY
            && SpaceDirectoryLayout.state(directory, space) == SpaceDirectoryLayout.UNNEEDED;
    Memory.zero(directory, PageLayout.PAGE_BYTES);
    return deleted;
  }

  private boolean hasChanged(EngineContext ctx, long pageId, long copy) {
    try (PageGuard guard = new PageGuard()) {
      return !pool.tryRead(ctx, pageId, guard) || lsn(guard.address()) != lsn(copy);
    }
  }

  private static long lsn(long page) {
    return Memory.getLong(page + PageLayout.LSN);
  }

  /** False when the page was evicted meanwhile. */
  private boolean copy(EngineContext ctx, long pageId, long to) {
    try (PageGuard guard = new PageGuard()) {
      if (!pool.tryRead(ctx, pageId, guard)) {
        return false;
      }
      Memory.copy(guard.address(), to, PageLayout.PAGE_BYTES);
      return true;
    }
  }

  private static void compare(long pageId, String store, long mine, long stored) {
    Memory.putInt(mine + PageLayout.CHECKSUM, 0);
    Memory.putInt(stored + PageLayout.CHECKSUM, 0);
    long at =
        MemorySegment.mismatch(
            Memory.segment(mine, PageLayout.PAGE_BYTES),
            0,
            PageLayout.PAGE_BYTES,
            Memory.segment(stored, PageLayout.PAGE_BYTES),
            0,
            PageLayout.PAGE_BYTES);
    if (at >= 0) {
      throw new IllegalStateException(
          "page "
              + PageId.toString(pageId)
              + " differs from that of "
              + store
              + " at byte "
              + at
              + ": LSN here "
              + Lsn.toString(lsn(mine))
              + ", there "
              + Lsn.toString(lsn(stored)));
    }
  }
}
