package io.gauss.common.transport;

import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;

/**
 * The sending end of a stream of replies. One thread at a time pushes; items arrive in that order.
 *
 * <p>Backpressure is by credit in bytes, which the receiver gives: while there is any, one more
 * item may be pushed, so that a receiver has at most its credit and one item on its way.
 */
public interface ReplyStream {
  /** Bytes that an item costs beside its payload, so that empty items are not free. */
  int ITEM_OVERHEAD = 48;

  /** True when an item may be pushed now. */
  boolean ready();

  /**
   * Runs the action on the event loop now, if the stream is ready or closed, and again whenever it
   * becomes so. It must not block; to push from another thread it hands over to it. One action per
   * stream.
   */
  void onReady(Runnable action);

  /**
   * Sends one item and takes over the buffer. On a closed stream the item is dropped.
   *
   * @throws IllegalStateException when the stream is not ready: a defect of the caller
   */
  void push(ByteBuf item);

  /** True when nobody receives any more: cancelled, disconnected or ended. */
  boolean closed();

  /** Ends the stream in order, behind the items pushed. */
  void end();

  /** Ends the stream with an error, behind the items pushed. */
  void fail(SqlState state, String message);
}
