package io.gauss.compute.log;

import io.gauss.common.error.GaussException;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.wait.WaitCounter;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waits for LSNs to become durable. Any thread adds; one thread at a time delivers, in the
 * order of LSNs.
 *
 * <p>Invariant: a thread that raises the durable LSN calls {@link #deliver} afterwards, and a
 * thread that adds a wait checks the durable LSN afterwards and has the wait delivered if the LSN
 * is passed already; so no waiter is forgotten.
 */
final class DurableWaits {
  private static final Logger LOG = LoggerFactory.getLogger(DurableWaits.class);

  private final LongSupplier durableLsn;
  private final ConcurrentLinkedQueue<Wait> added = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Wait> waiting =
      new PriorityQueue<>((a, b) -> Long.compare(a.lsn, b.lsn)); // by the deliverer
  private final AtomicInteger work = new AtomicInteger();
  private final AtomicInteger count = new AtomicInteger();
  private final WaitCounter counter = new WaitCounter();
  private volatile Supplier<GaussException> failure;

  DurableWaits(LongSupplier durableLsn) {
    this.durableLsn = durableLsn;
  }

  void add(long lsn, LogBuffer.DurableCallback callback) {
    count.incrementAndGet();
    added.add(new Wait(lsn, Environment.nanoTime(), callback));
  }

  /** Waits that are over. */
  WaitCounter counter() {
    return counter;
  }

  /** Approximate number of waits now. */
  int count() {
    return count.get();
  }

  /**
   * From now on waiters get this error, until it is withdrawn with null.
   *
   * @param error gives null when the cause has gone meanwhile: no waiter is notified then
   */
  void failure(Supplier<GaussException> error) {
    failure = error;
  }

  void deliver() {
    if (work.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      deliverOnce();
      seen = work.addAndGet(-seen);
    } while (seen != 0);
  }

  private void deliverOnce() {
    Wait wait;
    while ((wait = added.poll()) != null) {
      waiting.add(wait);
    }
    long durable = durableLsn.getAsLong();
    while ((wait = waiting.peek()) != null && wait.lsn <= durable) {
      waiting.remove();
      tell(wait, null);
    }
    Supplier<GaussException> error = failure;
    while (error != null && !waiting.isEmpty()) {
      GaussException refusal = error.get();
      if (refusal == null) {
        return; // null would mean to them that it is durable
      }
      tell(waiting.remove(), refusal);
    }
  }

  private void tell(Wait wait, GaussException error) {
    count.decrementAndGet();
    counter.waitedSince(wait.since);
    try {
      wait.callback.done(error);
    } catch (RuntimeException | AssertionError e) {
      LOG.error("a durability callback failed", e);
    }
  }

  private record Wait(long lsn, long since, LogBuffer.DurableCallback callback) {}
}
