package io.gauss.common.deadlock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which transaction waits for which, and whether a wait closes a cycle. Pure: no clocks, no
 * threads.
 *
 * <p>A node is a transaction's wait number. A waiter may wait for several others at once (a table
 * lock with many holders) and continues only when all of them have ended, so a cycle through any of
 * its edges is a deadlock. Not thread-safe.
 */
final class WaitGraph {
  private static final long[] NO_CYCLE = {};

  private final Map<Long, Wait> waits = new HashMap<>();

  private record Wait(long age, long[] holders) {}

  /**
   * Sets the edges of a waiter.
   *
   * @param age when the transaction began; the highest is the youngest
   */
  void set(long waiter, long age, long[] holders) {
    waits.put(waiter, new Wait(age, holders));
  }

  void remove(long waiter) {
    waits.remove(waiter);
  }

  int size() {
    return waits.size();
  }

  /**
   * The members of a cycle through {@code start}, each waiting for the next and the last for the
   * first; empty if none.
   */
  long[] cycleThrough(long start) {
    Map<Long, Long> reachedFrom = new HashMap<>();
    List<Long> open = new ArrayList<>();
    open.add(start);
    while (!open.isEmpty()) {
      long node = open.removeLast();
      Wait wait = waits.get(node);
      if (wait == null) {
        continue;
      }
      for (long holder : wait.holders) {
        if (holder == start) {
          return path(reachedFrom, start, node);
        }
        if (reachedFrom.putIfAbsent(holder, node) == null) {
          open.add(holder);
        }
      }
    }
    return NO_CYCLE;
  }

  private static long[] path(Map<Long, Long> reachedFrom, long start, long end) {
    long[] backwards = new long[reachedFrom.size() + 1];
    int count = 0;
    for (long node = end; node != start; node = reachedFrom.get(node)) {
      backwards[count++] = node;
    }
    backwards[count++] = start;
    long[] forwards = new long[count];
    for (int i = 0; i < count; i++) {
      forwards[i] = backwards[count - 1 - i];
    }
    return forwards;
  }

  /**
   * The member to abort: the one that began last, and of several the one with the highest number.
   */
  long youngest(long[] cycle) {
    return Arrays.stream(cycle)
        .boxed()
        .max(
            (a, b) -> {
              int byAge = Long.compare(waits.get(a).age, waits.get(b).age);
              return byAge != 0 ? byAge : Long.compare(a, b);
            })
        .orElseThrow();
  }
}
