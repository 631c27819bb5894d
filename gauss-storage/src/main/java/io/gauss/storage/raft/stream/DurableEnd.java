package io.gauss.storage.raft.stream;

import io.gauss.common.task.Later;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * The offset up to which a stream is known to be durable on a replica, and its waiters.
 * Thread-safe; published by the thread that applies entries, on which waiters are woken.
 */
final class DurableEnd {
  private record Waiter(long offset, long ticket) implements Comparable<Waiter> {
    @Override
    public int compareTo(Waiter other) {
      int byOffset = Long.compare(offset, other.offset);
      return byOffset != 0 ? byOffset : Long.compare(ticket, other.ticket);
    }
  }

  private final AtomicLong tickets = new AtomicLong();
  private final ConcurrentSkipListMap<Waiter, CompletableFuture<Void>> waiters =
      new ConcurrentSkipListMap<>();
  private volatile long end;
  private volatile boolean closed;
  private volatile LongConsumer listener = offset -> {};

  /** Sets the listener for every new end, called on the publishing thread, one call at a time. */
  void onPublish(LongConsumer newListener) {
    listener = newListener;
    newListener.accept(end);
  }

  long offset() {
    return end;
  }

  boolean isClosed() {
    return closed;
  }

  void publish(long offset) {
    end = offset;
    listener.accept(offset);
    wake(offset);
  }

  private void wake(long reached) {
    while (!waiters.isEmpty()) {
      var first = waiters.firstEntry();
      if (first == null || first.getKey().offset() > reached) {
        return;
      }
      waiters.remove(first.getKey());
      first.getValue().complete(null);
    }
  }

  /** Completes when the end is at or above the offset, when the time is up, or at close. */
  CompletableFuture<Void> reached(long offset, long waitMillis) {
    if (end >= offset || closed || waitMillis <= 0) {
      return CompletableFuture.completedFuture(null);
    }
    Waiter waiter = new Waiter(offset, tickets.incrementAndGet());
    CompletableFuture<Void> reached = new CompletableFuture<>();
    waiters.put(waiter, reached);
    if (end >= offset || closed) {
      wake(closed ? Long.MAX_VALUE : end); // published between the check and the insertion
    }
    return Later.completeAfter(reached, waitMillis, TimeUnit.MILLISECONDS, () -> null)
        .whenComplete((done, failure) -> waiters.remove(waiter));
  }

  /** Completes what waits now, as if its time were up. */
  void wakeAll() {
    wake(Long.MAX_VALUE);
  }

  void close() {
    closed = true;
    wakeAll();
  }
}
