package io.gauss.compute.routing;

import java.util.List;

/**
 * Says for clients that choose no node themselves whether another node is better for a transaction
 * than the one that they are connected to. Thread-safe; must neither wait nor throw: a wrong answer
 * costs time and nothing else.
 */
@FunctionalInterface
public interface BetterNode {
  /** No other node is clearly better. */
  int STAY = 0;

  /** The statement touches no rows: the next one is asked about. */
  int NOT_YET = -1;

  /** Nothing is known of such statements. */
  int NOT_KNOWN = -2;

  /**
   * Where a transaction belongs. On a connection's event loop: microseconds count.
   *
   * @param text of its first statement, as the client sent it
   * @param parameters bound to it: Long, Double or String, points in time as µs since 1970; null
   *     for NULL and what cannot be told
   * @return the slot of a better node, above 0, or one of the constants
   */
  int better(String text, List<?> parameters);
}
