package io.gauss.compute.txn;

import io.gauss.compute.txn.base.TransactionMetrics;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Leaves with deleted records, by the CSN of the deletion, in about the order of commits. Bounded:
 * leaves that do not fit are forgotten, and their records are reclaimed when the leaf fills up.
 * Thread-safe; only one thread may take.
 */
final class PurgeQueue {
  private static final int MAX_PAGES = 1 << 20;

  /** Leaves that one transaction noted. */
  record Batch(long csn, long[] pages) {}

  private final ConcurrentLinkedQueue<Batch> batches = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pages = new AtomicInteger();
  private final TransactionMetrics metrics;

  PurgeQueue(TransactionMetrics metrics) {
    this.metrics = metrics;
  }

  void add(long csn, long[] noted, int count) {
    if (pages.get() + count > MAX_PAGES) {
      metrics.purgeDropped(count);
      return;
    }
    pages.addAndGet(count);
    batches.add(new Batch(csn, Arrays.copyOf(noted, count)));
  }

  /** The oldest batch if its commit is at or below the horizon, else null. */
  Batch poll(long horizon) {
    Batch oldest = batches.peek();
    if (oldest == null || oldest.csn > horizon) {
      return null;
    }
    batches.remove();
    pages.addAndGet(-oldest.pages.length);
    return oldest;
  }

  /** Leaves that wait, for metrics: the history length. */
  int length() {
    return pages.get();
  }
}
