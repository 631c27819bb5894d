package io.gauss.storage.node;

import io.gauss.common.runtime.Environment;
import io.gauss.common.task.BackgroundTasks;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.ReplyStream;
import io.gauss.common.transport.Request;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.wire.PagesProgressLayout;
import io.gauss.storage.wire.PagesProgressLayout.PagesProgress;
import io.gauss.storage.wire.PagesProgressLayout.StreamProgress;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * Sends the progress of this node's pages to watchers when it has changed, and from time to time
 * when it has not ({@link ProgressPace}). Thread-safe.
 */
public final class PagesProgressService implements AutoCloseable {
  private final PageStore store;
  private final IntToLongFunction lagNanos;
  private final ByteBufAllocator allocator;
  private final List<ReplyStream> watchers = new ArrayList<>();
  private final BackgroundTasks tasks = new BackgroundTasks();
  private final ProgressPace pace = new ProgressPace();

  /**
   * @param lagNanos how long the oldest durable record of a stream that the pages have not applied
   *     has been durable here
   */
  public PagesProgressService(
      PageStore store, IntToLongFunction lagNanos, ByteBufAllocator allocator) {
    this.store = store;
    this.lagNanos = lagNanos;
    this.allocator = allocator;
  }

  public void register(Handlers handlers) {
    handlers.on(StorageMessages.WATCH_PAGES, this::watch);
    tasks.paced("pages-progress", pace.pause(), this::tell);
  }

  private synchronized void watch(Request request) {
    watchers.add(request.openStream());
    pace.askAnew();
  }

  /** Returns how long to wait until the next time. */
  private synchronized Duration tell() {
    watchers.removeIf(ReplyStream::closed);
    List<PageStore.Progress> streams = store.progress();
    long pendingBytes = store.pendingBytes();
    if (pace.isDue(streams, pendingBytes, Environment.nanoTime()) && !watchers.isEmpty()) {
      tell(streams, pendingBytes);
    }
    return pace.pause();
  }

  private void tell(List<PageStore.Progress> streams, long pendingBytes) {
    PagesProgress now =
        new PagesProgress(pendingBytes, streams.stream().map(this::withLag).toList());
    for (ReplyStream watcher : watchers) {
      // A watcher that has not read the last reports gets a later one.
      if (watcher.ready()) {
        int bytes = PagesProgressLayout.bytes(now.streams().size());
        watcher.push(PagesProgressLayout.write(allocator.directBuffer(bytes, bytes), now));
      }
    }
  }

  private StreamProgress withLag(PageStore.Progress progress) {
    int stream = progress.stream();
    return new StreamProgress(
        stream, progress.applied(), progress.checkpointed(), lagNanos.applyAsLong(stream));
  }

  @Override
  public void close() {
    tasks.close();
    synchronized (this) {
      watchers.forEach(ReplyStream::end);
      watchers.clear();
    }
  }
}
