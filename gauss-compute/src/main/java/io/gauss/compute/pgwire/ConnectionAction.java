package io.gauss.compute.pgwire;

/**
 * What {@link PgConnection} does about an event. Some actions {@linkplain #hasOutcome have an
 * outcome}, which is the next event; such an action is the last of its step.
 */
enum ConnectionAction {
  // ---- input
  /** Appends the bytes that came to the input. */
  TAKE_INPUT(false),
  /** Keeps the bytes that came until they can be used, and stops reading past a bound. */
  QUEUE_INPUT(false),
  /** Appends the bytes that were kept to the input. */
  TAKE_QUEUED(false),
  /**
   * Passes the bytes that were kept to the session's thread, or remembers that it waits for them.
   */
  HAND_OVER(false),
  STOP_READING(false),
  READ_ON(false),

  // ---- running
  /** Handles the start-up messages received so far. */
  READ_START(true),
  /** Handles the messages in the input on the event loop. */
  RUN(true),
  /**
   * Stops the idle timer and passes the session, its input and its output to a separate thread. The
   * outcome reports any failure of that.
   */
  START_THREAD(true),
  /** The session, its input and its output belong to the event loop again. */
  TAKE_BACK(false),
  /** Makes the session's thread check whether the client reads, or is still connected. */
  WAKE_THREAD(false),
  INTERRUPT_TERMINATED(false),
  INTERRUPT_CANCELED(false),
  INTERRUPT_GONE(false),
  /** From now on {@link ConnectionEvent#DRAINED} is an outcome of {@link #REST}. */
  NOTE_DRAIN(false),

  // ---- answers
  /** Replaces an incomplete answer by the error that ends the connection. */
  SAY_FATAL(false),
  SAY_TERMINATED(false),
  SAY_IDLE_TIMEOUT(false),
  /** Replaces all answers by the reason for which this node may not give them. */
  SAY_REFUSED(false),
  /** Replaces all answers by the log's error. */
  SAY_UNKNOWN(false),
  /** Informs the client's node that this session is about to leave. */
  SAY_LEAVING(false),
  /** Writes notifications, if the session is between transactions. */
  SAY_NOTIFICATIONS(false),
  /** Sends the answers if they may be sent. */
  ANSWER(true),
  /**
   * Sends the answers as soon as the log has reached everything that they confirm, or an error in
   * their place.
   */
  ANSWER_LAST(true),
  AWAIT_LOG(false),
  LOOK_LATER(false),
  /** Looks what is next. */
  REST(true),
  TURN_LATER(false),

  // ---- transactions on other nodes
  /** Forwards what came from the client. */
  FORWARD(true),
  /** Reads answers of the other node again. */
  FORWARD_ANSWERS(false),
  CANCEL_FORWARDED(false),
  /** Other nodes no longer serve this session. */
  END_FORWARD(false),

  // ---- time and the end
  START_TIMER_ON(false),
  START_TIMER_OFF(false),
  /** If a transaction is open. */
  IDLE_TIMER_ON(false),
  IDLE_TIMER_OFF(false),
  /** Rolls back and frees what the session holds, once. */
  END_SESSION(false),
  /** Closes the channel when the last answer has left, or after a while. */
  CLOSE_LATER(false),
  CLOSE_CHANNEL(false),
  /** The server forgets the connection. */
  RELEASE(false);

  private final boolean hasOutcome;

  ConnectionAction(boolean hasOutcome) {
    this.hasOutcome = hasOutcome;
  }

  boolean hasOutcome() {
    return hasOutcome;
  }
}
