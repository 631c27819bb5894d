package io.gauss.compute.routing;

import java.util.List;

/**
 * Decides, for clients that do not choose nodes themselves, whether another node is better for a
 * transaction than the one that they are connected to. Thread-safe; must neither wait nor throw. A
 * wrong answer only costs time.
 */
@FunctionalInterface
public interface BetterNode {
  /** No other node is clearly better. */
  int STAY = 0;

  /** The statement touches no rows; the caller asks again with the next one. */
  int NOT_YET = -1;

  /** Nothing is known about such statements. */
  int NOT_KNOWN = -2;

  /**
   * The node where a transaction belongs. Runs on a connection's event loop: microseconds count.
   *
   * @param text of its first statement, as the client sent it
   * @param parameters bound to it: Long, Double or String, points in time as µs since 1970; null
   *     for NULL and for values that cannot be represented
   * @return the slot of a better node, above 0, or one of the constants
   */
  int better(String text, List<?> parameters);

  /**
   * Whether {@link #better} may depend on the parameters of a statement. If not it need not be
   * given any, and the caller need not read them. The answer is that of statements of its template.
   */
  default boolean needsValues(String text) {
    return true;
  }

  /** The statement's template, by which transactions are compared; 0 = not known. */
  default long template(String text) {
    return 0;
  }
}
