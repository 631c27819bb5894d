package io.gauss.storage.node;

import io.gauss.common.task.BackgroundTasks;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.ReplyStream;
import io.gauss.common.transport.Request;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.wire.PagesProgressLayout;
import io.gauss.storage.wire.PagesProgressLayout.PagesProgress;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells those who watch how far this node's pages are, whenever that has changed, and now and then
 * when it has not: a node that is silent for long is not well. Thread-safe.
 */
public final class PagesProgressService implements AutoCloseable {
  /** Short, since commits are slowed by what is told here. */
  private static final Duration INTERVAL = Duration.ofMillis(10);

  private static final int SILENT_TURNS = 100;

  private final PageStore store;
  private final ByteBufAllocator allocator;
  private final List<ReplyStream> watchers = new ArrayList<>();
  private final BackgroundTasks tasks = new BackgroundTasks();
  private PagesProgress last;
  private int silent;

  public PagesProgressService(PageStore store, ByteBufAllocator allocator) {
    this.store = store;
    this.allocator = allocator;
  }

  public void register(Handlers handlers) {
    handlers.on(StorageMessages.WATCH_PAGES, this::watch);
    tasks.every("pages-progress", INTERVAL, this::tell);
  }

  private synchronized void watch(Request request) {
    watchers.add(request.openStream());
    last = null; // so that it hears at the next turn
  }

  private synchronized void tell() {
    watchers.removeIf(ReplyStream::closed);
    if (watchers.isEmpty()) {
      return;
    }
    PagesProgress now = new PagesProgress(store.pendingBytes(), store.progress());
    if (now.equals(last) && ++silent < SILENT_TURNS) {
      return;
    }
    silent = 0;
    last = now;
    for (ReplyStream watcher : watchers) {
      // Who has not read the last ones hears a later one.
      if (watcher.ready()) {
        int bytes = PagesProgressLayout.bytes(now.streams().size());
        watcher.push(PagesProgressLayout.write(allocator.directBuffer(bytes, bytes), now));
      }
    }
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
