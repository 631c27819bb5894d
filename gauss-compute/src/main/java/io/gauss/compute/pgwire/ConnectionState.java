package io.gauss.compute.pgwire;

/**
 * The state of a client's connection. The events that lead from one state to another are in {@link
 * ConnectionTable}.
 *
 * <p>In the {@linkplain #isPassing passing} states the event loop is in the middle of a step, so
 * that only the outcome of that step can come next.
 */
enum ConnectionState {
  /** The channel exists and has not been opened yet. */
  ACCEPTED,

  /** The client still has to identify and authenticate itself. */
  STARTING,

  /**
   * An answer of the start-up waits for this node's right to answer (law 10, no lease, no answer).
   */
  STARTING_HELD,

  /** Messages run on the event loop, where waiting is forbidden. */
  RUNNING,

  /** The collected answers are about to leave. */
  ANSWERING,

  /** The answer is complete and waits until the log has reached everything that it confirms. */
  LOG_WAIT,

  /**
   * The answer is complete and waits for this node's right to answer (law 10, no lease, no answer).
   */
  GATE_WAIT,

  /** Everything is answered; the session waits for its client. */
  IDLE,

  /** The client does not read its answers: nothing is run for it until it does. */
  SLOW,

  /** Input is left over, and other connections of the event loop have their turn first. */
  QUEUED,

  /** A message that had to wait runs on the session's thread. */
  ON_THREAD,

  /**
   * The session is to end; the message on its thread has been asked to stop, and has not stopped
   * yet.
   */
  THREAD_ENDS,

  /** The client has gone; the message on the session's thread has been asked to stop. */
  THREAD_ORPHANED,

  /** Another node has the transaction; messages and answers are forwarded. */
  FORWARDED,

  /** Nothing more is run, and the last answer is about to leave. */
  ENDING,

  /**
   * Nothing more is run, and the last answer waits until the log has reached everything that it
   * confirms.
   */
  ENDING_LOG_WAIT,

  /**
   * The session has ended. The channel closes when the client has taken the last answer, or has had
   * enough time for it.
   */
  CLOSING,

  /** The channel is closed and the session has ended. */
  CLOSED;

  /** Whether the event loop is in the middle of a step. */
  boolean isPassing() {
    return this == RUNNING || this == ANSWERING || this == ENDING;
  }

  /** Whether the session, its input and its output belong to the session's thread. */
  boolean isThreads() {
    return this == ON_THREAD || this == THREAD_ENDS || this == THREAD_ORPHANED;
  }

  /** Whether a further message of the client may be run, on either thread. */
  boolean runsMessages() {
    return this == RUNNING || this == ON_THREAD;
  }

  /** Whether a statement is over and its answer waits until it may be sent. */
  boolean holdsAnswer() {
    return this == LOG_WAIT || this == GATE_WAIT || this == ENDING_LOG_WAIT;
  }

  /** Whether there is no client any more. */
  boolean isGone() {
    return this == THREAD_ORPHANED || this == CLOSED;
  }
}
