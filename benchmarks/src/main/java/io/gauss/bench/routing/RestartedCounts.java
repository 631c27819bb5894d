package io.gauss.bench.routing;

import java.util.HashMap;
import java.util.Map;

/**
 * Adds up counts of nodes that begin with 0 whenever a node is started: one that is lower than
 * before is of a node that was started in between, and counts in full. What a node counts from the
 * last look until it ends is lost. Not thread-safe.
 */
final class RestartedCounts {
  private final Map<String, Long> last = new HashMap<>();
  private long sum;

  /** A node has this count now. */
  void saw(String node, long count) {
    Long before = last.put(node, count);
    sum += before == null || count < before ? count : count - before;
  }

  /** Of all nodes, since each was seen for the first time and what it had counted until then. */
  long sum() {
    return sum;
  }
}
