package io.gauss.common.transport;

import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;

/**
 * A message that arrived, and the means to answer it. Only the first call of {@link #reply}, {@link
 * #fail} or {@link #openStream} takes effect; the answer to a one-way message is dropped.
 * Thread-safe.
 */
public interface Request {
  MessageType type();

  /** The authenticated sender. */
  RemoteNode sender();

  /** The sender's epoch when it sent this. */
  int epoch();

  /** The connection on which it came: the same object for all that came on it. To be compared. */
  Object connection();

  /** The sender's clock when it sent this; this node's clock is already at or above it. */
  long clock();

  /**
   * The content. It belongs to the transport, which releases it when the handler has returned. To
   * use it longer, call {@code retain()} before that and {@code release()} afterwards. It may be a
   * part of a larger network buffer, so a small piece that is kept for long should be copied.
   */
  ByteBuf payload();

  /** True for messages sent by {@link Peer#send}: no answer is expected. */
  boolean oneWay();

  /** True when the caller used {@link Peer#stream}; only then {@link #openStream} may be called. */
  boolean wantsStream();

  /**
   * Nanoseconds until the caller's deadline, by this node's monotonic clock, counted from the
   * arrival; below 0 when it has passed, {@link Long#MAX_VALUE} when there is none.
   */
  long remainingNanos();

  /** True when the caller no longer waits for the answer. */
  boolean isCancelled();

  /**
   * Runs the action on the event loop when the caller cancels, its deadline passes or its
   * connection breaks before the answer; at once if that has already happened. One action per
   * request.
   */
  void onCancel(Runnable action);

  /** Answers, and takes over the buffer: the transport releases it in any case. */
  void reply(ByteBuf payload);

  /**
   * Answers with an error, which the caller receives as {@link TransportException.Reason#FAILED}.
   */
  void fail(SqlState state, String message);

  /** Answers with a stream of messages. */
  ReplyStream openStream();
}
