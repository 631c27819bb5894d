package io.gauss.storage.local;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A read of a page on its way. Exactly one of {@link #claim}'s callers gets it: the thread that
 * reads, or the time-out, so that nobody writes to the destination after the future is complete.
 */
final class PageRead {
  private final long pageId;
  private final long floor;
  private final long destination;
  private final CompletableFuture<Long> future = new CompletableFuture<>();
  private final CompletableFuture<Boolean> timer = new CompletableFuture<>();
  private final AtomicBoolean claimed = new AtomicBoolean();

  PageRead(long pageId, long floor, long destination) {
    this.pageId = pageId;
    this.floor = floor;
    this.destination = destination;
  }

  /** Calls back after the time unless somebody claims the read before. */
  void startTimer(long millis, Runnable expired) {
    timer
        .completeOnTimeout(true, millis, TimeUnit.MILLISECONDS)
        .thenAccept(
            isExpired -> {
              if (isExpired) {
                expired.run();
              }
            });
  }

  boolean claim() {
    boolean mine = claimed.compareAndSet(false, true);
    if (mine) {
      timer.complete(false);
    }
    return mine;
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
