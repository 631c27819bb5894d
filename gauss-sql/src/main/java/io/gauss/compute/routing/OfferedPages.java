package io.gauss.compute.routing;

import io.gauss.compute.buffer.MovablePages;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;

/**
 * Pages that this node was offered. It requests them at a bounded rate while there is room for
 * them, and tracks them until they have arrived. Thread-safe.
 */
final class OfferedPages {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final MovablePages pages;
  private final int most;
  private final Queue<Long> waiting = new ArrayDeque<>();
  private final Queue<Asked> asked = new ArrayDeque<>();
  private final Set<Long> known = new HashSet<>(); // waiting or requested
  private long askedCount;
  private long placed;
  private long refused;
  private long failed;

  private record Asked(long page, long nanos) {}

  /**
   * @param most pages that may wait
   */
  OfferedPages(MovablePages pages, int most) {
    this.pages = pages;
    this.most = most;
  }

  /**
   * Takes an offer; returns how many of the pages, from the first on, are accepted for
   * consideration.
   */
  synchronized int offer(long[] offered) {
    int room = Math.max(0, pages.room() - waiting.size());
    int taken = 0;
    for (long page : offered) {
      if (waiting.size() == most || room == 0 && !pages.isHere(page)) {
        break;
      }
      if (known.add(page)) {
        waiting.add(page);
        room = Math.max(0, room - 1);
      }
      taken++;
    }
    refused += offered.length - taken;
    return taken;
  }

  /** Whether there are pages to request, or to wait for. */
  synchronized boolean isBusy() {
    return !waiting.isEmpty() || !asked.isEmpty();
  }

  /**
   * Requests pages, and checks which of those requested before have arrived.
   *
   * @param count how many to request at most
   * @param isWanted whether this node is still to own a page
   */
  synchronized void turn(int count, LongPredicate isWanted, long nowNanos) {
    settle(nowNanos);
    for (int left = count; left > 0 && !waiting.isEmpty(); ) {
      long page = waiting.poll();
      if (!isWanted.test(page) || pages.isOwned(page)) {
        known.remove(page);
      } else if (pages.ask(page)) {
        asked.add(new Asked(page, nowNanos));
        askedCount++;
        left--;
      } else {
        known.remove(page);
        refused++;
      }
    }
  }

  private void settle(long nowNanos) {
    for (int left = asked.size(); left > 0; left--) {
      Asked one = asked.poll();
      if (pages.isOwned(one.page())) {
        known.remove(one.page());
        placed++;
      } else if (nowNanos - one.nanos() > PATIENCE_NANOS) {
        known.remove(one.page());
        failed++;
      } else {
        asked.add(one);
      }
    }
  }

  /** Combines these counts with counts made elsewhere. */
  synchronized PlacementCounts counts(int groups, long offered, long hot) {
    return new PlacementCounts(groups, offered, hot, askedCount, placed, refused, failed);
  }
}
