package io.gauss.common.transport;

import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;

/**
 * A message that arrived, and the way to answer it. Exactly one of {@link #reply}, {@link #fail}
 * and {@link #openStream} counts, the first; the answer to a one-way message is dropped.
 * Thread-safe.
 */
public interface Request {
  MessageType type();

  /** Who sent it: authenticated. */
  RemoteNode sender();

  /** The sender's epoch when it sent this. */
  int epoch();

  /** The sender's clock when it sent this; this node's clock is at or above it already. */
  long clock();

  /**
   * The content. It belongs to the transport, which releases it when the handler has returned; who
   * needs it longer calls {@code retain()} before that and {@code release()} afterwards. It may be
   * a part of a larger network buffer, so that a small piece that is kept for long should be
   * copied.
   */
  ByteBuf payload();

  /** True for messages sent by {@link Peer#send}: there is nobody to answer. */
  boolean oneWay();

  /** True when the caller used {@link Peer#stream}; only then {@link #openStream} may be called. */
  boolean wantsStream();

  /**
   * Nanoseconds until the caller's deadline, by this node's monotonic clock and counted from the
   * arrival; below 0 when it has passed, {@link Long#MAX_VALUE} when there is none.
   */
  long remainingNanos();

  /** True when nobody waits for the answer any more. */
  boolean isCancelled();

  /**
   * Runs the action on the event loop when the caller cancels, its deadline passes or its
   * connection breaks before the answer; at once when that has happened. One action per request.
   */
  void onCancel(Runnable action);

  /** Answers, and takes over the buffer: the transport releases it, whatever happens. */
  void reply(ByteBuf payload);

  /** Answers with an error, which the caller gets as {@link TransportException.Reason#FAILED}. */
  void fail(SqlState state, String message);

  /** Answers with a stream of messages. */
  ReplyStream openStream();
}
