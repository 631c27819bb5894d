package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.task.Threads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads of a page store: they wait until their stream is applied far enough, then a few platform
 * threads fold and copy. A folded page in memory is copied at once on the caller's thread.
 * Thread-safe; nothing blocks its caller.
 */
final class PageReads implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PageReads.class);

  /** Folds a page and copies it out. */
  @FunctionalInterface
  interface Source {
    /** Returns the page's LSN. */
    long read(long pageId, long destination);
  }

  private final PageIndex index;
  private final PageRoom room;
  private final long timeoutMillis;
  private final LongAdder count;
  private final Source source;
  private final ThreadPoolExecutor threads;

  PageReads(
      PageIndex index, PageRoom room, PageStoreSettings settings, LongAdder count, Source source) {
    this.index = index;
    this.room = room;
    this.timeoutMillis = settings.readTimeoutMillis();
    this.count = count;
    this.source = source;
    this.threads = Threads.pool("gauss-page-read-", settings.readThreads());
  }

  /** Reads a page once the stream is applied up to an offset. */
  CompletableFuture<Long> read(long pageId, int stream, long atLeastOffset, long destination) {
    PageRead read = new PageRead(pageId, atLeastOffset, destination);
    count.increment();
    if (applied(stream) < atLeastOffset) {
      await(stream, read, timeoutMillis);
    } else if (!copyIfFolded(read)) {
      dispatch(read);
    }
    return read.future();
  }

  /** Reads the present version of a page. */
  CompletableFuture<Long> read(long pageId, long destination) {
    PageRead read = new PageRead(pageId, 0, destination);
    count.increment();
    if (!copyIfFolded(read)) {
      dispatch(read);
    }
    return read.future();
  }

  /** Completes when the stream is applied up to an offset. */
  CompletableFuture<Void> reached(int stream, long offset, long nanos) {
    PageRead wait = new PageRead(PageId.NONE, offset, 0);
    if (applied(stream) >= offset) {
      wait.future().complete(Lsn.NONE);
    } else {
      await(stream, wait, Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }
    return wait.future().thenAccept(lsn -> {});
  }

  private long applied(int stream) {
    StreamProgress known = index.streams.get(stream);
    return known == null ? 0 : known.applied;
  }

  private void await(int stream, PageRead read, long millis) {
    StreamProgress progress = index.await(stream, read);
    read.startTimer(millis, () -> giveUp(progress, read));
    progress.wake(this::dispatch);
  }

  /** Answers at once when the folded page is in memory. */
  private boolean copyIfFolded(PageRead read) {
    long lsn = Lsn.NONE;
    index.lock.lock();
    try {
      if (!room.isClosed()) {
        lsn = index.copyIfFolded(read.pageId(), read.destination());
      }
    } finally {
      index.lock.unlock();
    }
    return lsn != Lsn.NONE && read.future().complete(lsn);
  }

  /** Starts the reads whose offsets are reached. */
  void wake() {
    for (StreamProgress stream : index.streams.values()) {
      stream.wake(this::dispatch);
    }
  }

  private void dispatch(PageRead read) {
    try {
      threads.execute(() -> perform(read));
    } catch (RejectedExecutionException e) {
      LOG.debug("a read came after closing", e);
      refuse(read);
    }
  }

  private static void refuse(PageRead read) {
    if (read.claim()) {
      read.fail(new IllegalStateException("the page store is closed"));
    }
  }

  private void perform(PageRead read) {
    if (!read.claim()) {
      return;
    }
    try {
      boolean waitsOnly = read.pageId() == PageId.NONE;
      read.future().complete(waitsOnly ? Lsn.NONE : source.read(read.pageId(), read.destination()));
    } catch (RuntimeException | Error e) {
      read.fail(e);
    }
  }

  private void giveUp(StreamProgress stream, PageRead read) {
    if (read.claim()) {
      stream.forget(read);
      index.askedNoMore(stream);
      read.fail(
          new GaussException(
              SqlState.INSUFFICIENT_RESOURCES,
              "the page store has applied stream "
                  + stream.stream
                  + " up to offset "
                  + stream.applied
                  + " only; "
                  + (read.pageId() == PageId.NONE
                      ? "it was waited for "
                      : "page " + PageId.toString(read.pageId()) + " was asked for at ")
                  + read.floor()));
    }
  }

  /** Ends the running reads, and refuses the waiting ones. */
  @Override
  public void close() {
    threads.close();
    for (StreamProgress stream : index.allStreams()) {
      stream.drain(PageReads::refuse);
    }
  }
}
