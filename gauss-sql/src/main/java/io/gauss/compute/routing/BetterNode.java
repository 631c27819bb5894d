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

  /** Slots are below this; see {@link #answer}. */
  int SLOTS = 64;

  /**
   * Another node is better.
   *
   * @param lead how clearly it is, from a few degrees, 0 = not rated; what forwarding saves is
   *     measured for each degree
   */
  static int answer(int slot, int lead) {
    return slot + lead * SLOTS;
  }

  /** The slot in an answer that names a node. */
  static int slot(int answer) {
    return answer % SLOTS;
  }

  /** How clearly the node in an answer is better. */
  static int lead(int answer) {
    return answer / SLOTS;
  }

  /** Whether anything is known about any statement. If not nobody need ask. */
  default boolean knowsAny() {
    return true;
  }

  /** Changes when answers may change, not only by the nodes' loads. */
  default long version() {
    return 0;
  }

  /**
   * The node where a transaction belongs. Runs on a connection's event loop: microseconds count.
   *
   * @param text of its first statement, as the client sent it
   * @param parameters bound to it: Long, Double or String, points in time as µs since 1970; null
   *     for NULL and for values that cannot be represented
   * @return a better node, above 0, as {@link #answer}, or one of the constants
   */
  int better(String text, List<?> parameters);

  /**
   * Whether {@link #better} may depend on the parameters of a statement. If not it need not be
   * given any, and the caller need not read them. The answer is that of statements of its template.
   */
  default boolean needsValues(String text) {
    return true;
  }

  /**
   * Whether a transaction stays by its first statement's template alone: so many of its like have
   * stayed that most need not be looked at.
   */
  default boolean stays(String text) {
    return false;
  }

  /**
   * A transaction for which {@link #better} has named a node, or none, goes where it does.
   *
   * @param text of the statement that decided
   * @param elsewhere whether it belongs to another node, and going there pays for its like
   */
  default void looked(String text, boolean elsewhere) {}

  /** The statement's template, by which transactions are compared; 0 = not known. */
  default long template(String text) {
    return 0;
  }
}
