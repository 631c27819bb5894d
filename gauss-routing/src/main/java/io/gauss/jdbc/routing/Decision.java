package io.gauss.jdbc.routing;

import java.util.Locale;

/**
 * A router's decision about a statement. Immutable.
 *
 * @param kind which of the three answers it is
 * @param node where to run the transaction; null unless {@code kind} is {@link Kind#NODE}
 * @param cause what decided, for counting
 * @param reason in a few words, for users who ask why
 */
public record Decision(Kind kind, ClusterNode node, Cause cause, String reason) {
  /** Who decided. */
  public enum Cause {
    MODEL,
    TABLE,
    /** The node that has the rows of the statement's key, as a server told. */
    OWNER,
    STICKY,
    RANDOM,
    /** The application: in the statement, by client info, or by a sharding key. */
    HINT,
    /** The router did not know; the statement's first value decided. */
    FIRST_VALUE,
    /** The router did not know, and there was no value: loads decide. */
    LOAD;

    /** As metrics call it. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** The three answers. */
  public enum Kind {
    /** The transaction belongs on {@link Decision#node}. */
    NODE,
    /** No node is better than another, as far as the router knows: the driver chooses. */
    ANYWHERE,
    /**
     * The statement does not show what the transaction will touch (SET, SHOW, SELECT 1): the router
     * is asked again for the next one.
     */
    NOT_YET
  }

  public Decision {
    if ((kind == Kind.NODE) != (node != null)) {
      throw new IllegalArgumentException("a node belongs to the decision NODE: " + node);
    }
  }

  /** The transaction belongs there. */
  public static Decision on(ClusterNode node, Cause cause, String reason) {
    return new Decision(Kind.NODE, node, cause, reason);
  }

  /** Any node will do. */
  public static Decision anywhere(String reason) {
    return new Decision(Kind.ANYWHERE, null, Cause.LOAD, reason);
  }

  /** Ask again at the next statement. */
  public static Decision notYet(String reason) {
    return new Decision(Kind.NOT_YET, null, Cause.LOAD, reason);
  }
}
