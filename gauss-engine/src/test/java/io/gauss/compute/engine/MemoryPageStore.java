package io.gauss.compute.engine;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.redo.MtrLayout;
import io.gauss.common.redo.RedoApply;
import io.gauss.storage.api.CheckpointPace;
import io.gauss.storage.api.DurableImages;
import io.gauss.storage.api.PageStore;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A page store in memory that folds at once and checks law 5 strictly: a record must meet exactly
 * the page that it names.
 */
public final class MemoryPageStore implements PageStore {
  /** Longer than a machine stands still. */
  private static final long READ_TIMEOUT_NANOS = 60_000_000_000L;

  private final long readTimeoutNanos;
  private final Map<Long, byte[]> pages = new HashMap<>();
  private final long work = Memory.allocateForever(PageLayout.PAGE_BYTES, 64);
  private final Map<Integer, Long> applied = new HashMap<>();
  private volatile Runnable beforeRead = () -> {};
  private volatile Runnable beforeApply = () -> {};
  private volatile boolean asynchronous;
  private boolean stopped; // it follows the log no more; under this

  public MemoryPageStore() {
    this(READ_TIMEOUT_NANOS);
  }

  /**
   * @param readTimeoutNanos how long a read waits for its floor; short where the log fails, and
   *     what is waited for never comes
   */
  MemoryPageStore(long readTimeoutNanos) {
    this.readTimeoutNanos = readTimeoutNanos;
  }

  /** Reads complete on other threads, so that loads overlap. */
  public void asynchronous(boolean on) {
    this.asynchronous = on;
  }

  /** Runs before each batch of the log is applied; what it throws fails that. */
  public void beforeApply(Runnable action) {
    this.beforeApply = action;
  }

  /** Runs before each read; what it throws fails the read. */
  public void beforeRead(Runnable action) {
    this.beforeRead = action;
  }

  @Override
  public synchronized void apply(int streamId, long offset, ByteBuffer mtrs) {
    try {
      beforeApply.run();
    } catch (RuntimeException e) {
      stopped = true;
      notifyAll();
      throw e;
    }
    long taken = applied.getOrDefault(streamId, 0L);
    ByteBuffer bytes = mtrs.duplicate();
    byte[] all = new byte[bytes.remaining()];
    bytes.get(all);
    try (var arena = java.lang.foreign.Arena.ofConfined()) {
      long copy = Memory.allocate(arena, Math.max(1, all.length), 64);
      Memory.copyIn(all, 0, copy, all.length);
      int at = 0;
      while (at < all.length) {
        long mtr = copy + at;
        if (offset + at >= taken) {
          applyMtr(mtr, streamId);
        }
        at += MtrLayout.length(mtr);
      }
    }
    applied.merge(streamId, offset + all.length, Math::max);
    notifyAll();
  }

  private void applyMtr(long mtr, int streamId) {
    long base = MtrLayout.baseLsn(mtr);
    long record = mtr + MtrLayout.HEADER_BYTES;
    for (int i = 0; i < MtrLayout.count(mtr); i++) {
      applyRecord(record, MtrLayout.recordLsn(base, i), streamId);
      record += MtrLayout.recordLength(record);
    }
  }

  private void applyRecord(long record, long lsn, int streamId) {
    long pageId = MtrLayout.recordPageId(record);
    byte[] page = pages.computeIfAbsent(pageId, id -> new byte[PageLayout.PAGE_BYTES]);
    Memory.copyIn(page, 0, work, page.length);
    long before = Memory.getLong(work + PageLayout.LSN);
    boolean starts = RedoApply.startsPage(MtrLayout.recordType(record));
    Invariant.check(
        before == MtrLayout.recordPrevPageLsn(record) || (starts && before < lsn),
        "law 5: record does not follow its page");
    RedoApply.apply(work, record, lsn, streamId);
    Memory.copyOut(work, page, 0, page.length);
  }

  /** Takes the pages of a space as another store has them, as if its redo had been applied here. */
  public void adopt(MemoryPageStore other, int space) {
    Map<Long, byte[]> theirs = new HashMap<>();
    synchronized (other) {
      other.pages.forEach(
          (id, page) -> {
            if (PageId.space(id) == space) {
              theirs.put(id, page.clone());
            }
          });
    }
    synchronized (this) {
      pages.keySet().removeIf(id -> PageId.space(id) == space);
      pages.putAll(theirs);
    }
  }

  @Override
  public synchronized long appliedOffset(int streamId) {
    return applied.getOrDefault(streamId, 0L);
  }

  @Override
  public CompletableFuture<Long> readPage(
      long pageId, int streamId, long atLeastOffset, long destination) {
    if (asynchronous) {
      return CompletableFuture.supplyAsync(
          () -> read(pageId, streamId, atLeastOffset, destination));
    }
    return CompletableFuture.completedFuture(read(pageId, streamId, atLeastOffset, destination));
  }

  @Override
  public CompletableFuture<Long> readPage(long pageId, long destination) {
    return readPage(pageId, 0, 0, destination);
  }

  @Override
  public CompletableFuture<Void> reached(int streamId, long offset, long nanos) {
    if (appliedOffset(streamId) >= offset) {
      return CompletableFuture.completedFuture(null);
    }
    return CompletableFuture.failedFuture(
        new GaussException(SqlState.INSUFFICIENT_RESOURCES, "the page store is behind"));
  }

  private long read(long pageId, int streamId, long atLeastOffset, long destination) {
    beforeRead.run();
    synchronized (this) {
      long start = System.nanoTime();
      while (applied.getOrDefault(streamId, 0L) < atLeastOffset) {
        if (stopped || System.nanoTime() - start > readTimeoutNanos) {
          throw new GaussException(SqlState.IO_ERROR, "the page store is behind");
        }
        try {
          wait(10);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      byte[] page = pages.get(pageId);
      if (page == null) {
        Memory.zero(destination, PageLayout.PAGE_BYTES);
        return 0;
      }
      Memory.copyIn(page, 0, destination, page.length);
      return Memory.getLong(destination + PageLayout.LSN);
    }
  }

  @Override
  public synchronized CheckpointResult checkpoint(CheckpointPace pace) {
    return new CheckpointResult(Map.copyOf(applied), pages.size(), 0, 0);
  }

  @Override
  public void standIn(DurableImages images) {
    // Folds at once, so there is nothing to stand in for.
  }

  @Override
  public synchronized List<Progress> progress() {
    return applied.entrySet().stream()
        .map(entry -> new Progress(entry.getKey(), entry.getValue(), entry.getValue()))
        .toList();
  }

  @Override
  public synchronized long checkpointOffset(int streamId) {
    return applied.getOrDefault(streamId, 0L);
  }

  @Override
  public long pendingBytes() {
    return 0;
  }

  @Override
  public void close() {}
}
