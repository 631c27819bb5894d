package io.gauss.compute.buffer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Pages on which transactions have lately waited for rows of others: a thread that only checks
 * whether a row is free should not take such a page from the node that writes it. A hint, in a
 * table of fixed size in which entries overwrite each other. Thread-safe.
 */
final class ContendedPages {
  private static final int SLOTS = 1024;
  private static final long REMEMBERED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final AtomicLongArray pages = new AtomicLongArray(SLOTS);
  private final AtomicLongArray since = new AtomicLongArray(SLOTS);

  /** A transaction is about to wait for a row of the page. */
  void note(long page, long now) {
    int slot = slot(page);
    pages.setOpaque(slot, page);
    since.setOpaque(slot, now);
  }

  /** Whether that was within the last second. */
  boolean isContended(long page, long now) {
    int slot = slot(page);
    return pages.getOpaque(slot) == page && now - since.getOpaque(slot) < REMEMBERED_NANOS;
  }

  private static int slot(long page) {
    return Frames.hash(page) & SLOTS - 1;
  }
}
