package io.gauss.common.transport;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/**
 * The failure of a message. The reason determines how to proceed, and {@link #maybeExecuted}
 * whether the other node may have acted on it: a caller that must not repeat a request first
 * queries the other side.
 */
public final class TransportException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The reason of a failure. */
  public enum Reason {
    /** The deadline passed. */
    TIMEOUT(SqlState.CONNECTION_FAILURE),
    /** There is no connection, or it broke before the answer arrived. */
    DISCONNECTED(SqlState.CONNECTION_FAILURE),
    /** The other side, or this one, does not accept the connection: see the message. */
    REFUSED(SqlState.CONNECTION_REJECTED),
    /** Too many messages or bytes are under way; nothing was sent. */
    OVERLOADED(SqlState.INSUFFICIENT_RESOURCES),
    /** The caller cancelled, or the deadline passed on the other side. */
    CANCELLED(SqlState.QUERY_CANCELED),
    /** The handler answered with an error: see {@link TransportException#state}. */
    FAILED(SqlState.INTERNAL_ERROR);

    private final SqlState state;

    Reason(SqlState state) {
      this.state = state;
    }
  }

  private final Reason reason;
  private final SqlState state;
  private final boolean maybeExecuted;

  public TransportException(Reason reason, boolean maybeExecuted, String message) {
    this(reason, reason.state, maybeExecuted, message);
  }

  public TransportException(Reason reason, SqlState state, boolean maybeExecuted, String message) {
    // No stack traces: most of these are expected, and many occur at once when a connection breaks.
    super(message, null, false, false);
    this.reason = reason;
    this.state = state;
    this.maybeExecuted = maybeExecuted;
  }

  public Reason reason() {
    return reason;
  }

  /** The handler's state for {@link Reason#FAILED}, else one derived from the reason. */
  public SqlState state() {
    return state;
  }

  /** False only when it is certain that no handler has seen, or will see, the message. */
  public boolean maybeExecuted() {
    return maybeExecuted;
  }

  /** The exception for a client, with the caller's stack. */
  public GaussException toGauss() {
    return new GaussException(state, getMessage(), this);
  }
}
