package io.gauss.compute.session.wire;

/**
 * A request concerning a session of the receiver. Numbers of sessions are those that clients know.
 */
public sealed interface Signal {

  /**
   * Number of the session; of {@link CancelPassed} and {@link EndPassed}: of the client's session
   * on the sender.
   */
  int session();

  /** Cancel its statement, for a client that knows the session's secret. */
  record CancelByKey(int session, int secret) implements Signal {}

  /** A request that may concern another role's session. */
  sealed interface ByRole extends Signal {
    /** Oid of the requesting role. */
    int role();
  }

  /** Cancel its statement, for a role. */
  record Cancel(int session, int role) implements ByRole {}

  /** End it, for a role. */
  record Terminate(int session, int role) implements ByRole {}

  /** Check whether it exists. */
  record Look(int session) implements Signal {}

  /**
   * Cancel the statement of a session that serves this client of the sender.
   *
   * @param forward which of the transactions that were forwarded
   */
  record CancelPassed(int session, int forward) implements Signal {}

  /**
   * End the session that serves this client of the sender, which has lost its connection, and check
   * whether it has ended.
   *
   * @param ticket lower half of the number of the ticket by which it was let in
   */
  record EndPassed(int session, int ticket) implements Signal {}
}
