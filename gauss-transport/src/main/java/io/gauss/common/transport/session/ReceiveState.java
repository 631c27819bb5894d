package io.gauss.common.transport.session;

/**
 * The receiving side of a session: the next expected message, and its attempt. Pure; guarded by its
 * owner.
 */
final class ReceiveState {
  private long delivered;
  private int attempt;
  private boolean abandoned;

  /** How to handle a message. */
  enum Verdict {
    /** It is the next one: deliver it. */
    DELIVER,
    /** It was delivered before: drop it. */
    DUPLICATE,
    /** It was sent in an attempt that is over: drop it, it will be sent again. */
    STALE,
    /**
     * An earlier one is missing, which a connection never causes: the attempt has to start over.
     */
    GAP
  }

  /**
   * The sender opens an attempt. False when it is not above the last one: the message was late, and
   * the attempt must not be used.
   */
  boolean open(int newAttempt) {
    if (newAttempt <= attempt) {
      return false;
    }
    attempt = newAttempt;
    abandoned = false;
    return true;
  }

  int attempt() {
    return attempt;
  }

  /** Number of the last message delivered. */
  long delivered() {
    return delivered;
  }

  /** Judges a message, and counts it as delivered when it is the next one. */
  Verdict receive(int sentIn, long number) {
    if (sentIn != attempt || abandoned) {
      return Verdict.STALE;
    }
    if (number <= delivered) {
      return Verdict.DUPLICATE;
    }
    if (number != delivered + 1) {
      abandoned = true;
      return Verdict.GAP;
    }
    delivered = number;
    return Verdict.DELIVER;
  }
}
