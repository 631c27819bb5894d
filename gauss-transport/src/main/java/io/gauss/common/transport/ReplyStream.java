package io.gauss.common.transport;

import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;

/**
 * The sending end of a stream of replies. One thread at a time pushes; items arrive in that order.
 *
 * <p>Backpressure works by credit in bytes, which the receiver grants: while there is any credit,
 * one more item may be pushed, so at most the receiver's credit and one item are under way to it.
 */
public interface ReplyStream {
  /** Bytes that an item costs in addition to its payload, so that empty items are not free. */
  int ITEM_OVERHEAD = 48;

  /** True when an item may be pushed now. */
  boolean ready();

  /**
   * Runs the action on the event loop now, if the stream is ready or closed, and again whenever it
   * becomes so. It must not block; to push from another thread, it has to hand over to that thread.
   * One action per stream.
   */
  void onReady(Runnable action);

  /**
   * Sends one item and takes over the buffer. On a closed stream the item is dropped.
   *
   * @throws IllegalStateException when the stream is not ready: an error of the caller
   */
  void push(ByteBuf item);

  /** True when items are no longer received: cancelled, disconnected or ended. */
  boolean closed();

  /** Ends the stream normally, after the items pushed. */
  void end();

  /** Ends the stream with an error, after the items pushed. */
  void fail(SqlState state, String message);
}
