package io.gauss.compute.session.wire;

/** "Do this to that session of yours." Numbers of sessions are those that clients know. */
public sealed interface Signal {

  /** Number of the session; of {@link CancelPassed}: of the client's session on the sender. */
  int session();

  /** Cancel what it runs, for a client that knows the session's secret. */
  record CancelByKey(int session, int secret) implements Signal {}

  /** To a session that may be another role's. */
  sealed interface ByRole extends Signal {
    /** Oid of the role that asks. */
    int role();
  }

  /** Cancel what it runs, for a role. */
  record Cancel(int session, int role) implements ByRole {}

  /** End it, for a role. */
  record Terminate(int session, int role) implements ByRole {}

  /** Is it there? */
  record Look(int session) implements Signal {}

  /**
   * Cancel what a session runs that serves this client of the sender.
   *
   * @param forward which of the transactions that were forwarded
   */
  record CancelPassed(int session, int forward) implements Signal {}
}
