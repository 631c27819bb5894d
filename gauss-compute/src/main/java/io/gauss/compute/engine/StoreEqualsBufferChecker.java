package io.gauss.compute.engine;

import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.log.LogBuffer;
import io.gauss.storage.api.PageReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Law 1 as a check: every page in the buffer pool has the same bytes as the page store's fold of
 * the redo. The checksum field does not count, since it is set when a page leaves memory.
 */
public final class StoreEqualsBufferChecker implements Checker {
  private static final int ATTEMPTS = 5;

  private final BufferPool pool;
  private final PageReader store;
  private final LogBuffer log;

  public StoreEqualsBufferChecker(BufferPool pool, PageReader store, LogBuffer log) {
    this.pool = pool;
    this.store = store;
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
      for (long pageId : pool.residentPages()) {
        check(ctx, pageId, mine, stored);
      }
    }
  }

  /** A page that is written meanwhile is tried again, and left out when that goes on. */
  private void check(EngineContext ctx, long pageId, long mine, long stored) {
    ctx.checkInterrupt();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (!copy(ctx, pageId, mine) || lsn(mine) == Lsn.NONE) {
        return;
      }
      if (lsn(mine) > log.durableLsn()) {
        log.awaitDurable(ctx, lsn(mine));
      }
      store.readPage(pageId, log.streamId(), log.durableOffset(), stored).join();
      if (lsn(mine) == lsn(stored) || !hasChanged(ctx, pageId, mine)) {
        compare(pageId, mine, stored);
        return;
      }
    }
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

  private static void compare(long pageId, long mine, long stored) {
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
              + " differs from the page store at byte "
              + at
              + ": LSN here "
              + Lsn.toString(lsn(mine))
              + ", there "
              + Lsn.toString(lsn(stored)));
    }
  }
}
