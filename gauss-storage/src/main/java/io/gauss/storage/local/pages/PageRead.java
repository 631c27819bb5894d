package io.gauss.storage.local.pages;

import io.gauss.common.task.Later;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A pending read of a page. Exactly one caller of {@link #claim} succeeds, the reading thread or
 * the timeout, so that nothing is written to the destination after the future is complete.
 */
final class PageRead {
  private final long pageId;
  private final long floor;
  private final long destination;
  private final CompletableFuture<Long> future = new CompletableFuture<>();
  private volatile Future<?> timer;
  private final AtomicBoolean claimed = new AtomicBoolean();

  PageRead(long pageId, long floor, long destination) {
    this.pageId = pageId;
    this.floor = floor;
    this.destination = destination;
  }

  /** Calls back after the time unless the read is claimed before. */
  void startTimer(long millis, Runnable expired) {
    timer = Later.run(millis, TimeUnit.MILLISECONDS, expired);
    if (claimed.get()) {
      stopTimer();
    }
  }

  boolean claim() {
    boolean mine = claimed.compareAndSet(false, true);
    if (mine) {
      stopTimer();
    }
    return mine;
  }

  private void stopTimer() {
    Future<?> started = timer;
    if (started != null) {
      started.cancel(false);
    }
  }

  void fail(Throwable error) {
    future.completeExceptionally(error);
  }

  long pageId() {
    return pageId;
  }

  long floor() {
    return floor;
  }

  long destination() {
    return destination;
  }

  CompletableFuture<Long> future() {
    return future;
  }
}
