package io.gauss.common.transport;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;

/**
 * Another node as this one reaches it: one connection, which comes back by itself.
 *
 * <p><b>Order.</b> What one thread sends arrives in that order while the connection lasts. Nothing
 * is sent twice: what was on its way when the connection broke fails, and the error tells whether
 * it may have been executed. Exactly-once is made above, by {@code transport.session}.
 *
 * <p><b>While there is no connection.</b> A message sent while a connection is being made waits for
 * the attempt. In the pause after a failed attempt it fails at once with DISCONNECTED, so that the
 * caller can go to somebody else. {@link #connected} waits longer.
 *
 * <p><b>Buffers.</b> Every method takes over the payload it is given and releases it, also when it
 * fails or throws. A payload must not be changed any more; in one JVM the receiver gets the very
 * same buffer. Replies belong to the caller, who releases them.
 *
 * <p><b>Threads.</b> Thread-safe. Futures complete and receivers run on the peer's event loop: what
 * depends on them must not block, or names an executor.
 */
public interface Peer extends AutoCloseable {
  /** Timeout of a call that has none. Only streams may be without one. */
  long NO_DEADLINE = Long.MAX_VALUE;

  NodeAddress address();

  /** Who answers there; null before the first connection. */
  RemoteNode remote();

  /** True while messages can be sent. */
  boolean isConnected();

  /**
   * Completes when there is a connection, at once if there is one; fails when the peer is closed.
   * With REFUSED it fails as soon as either side has refused the connection, which does not go away
   * by itself; attempts continue all the same.
   */
  CompletableFuture<RemoteNode> connected();

  /**
   * Sends a request. The future gives the reply's payload, or fails with {@link
   * TransportException}. Cancelling the future itself (not one derived from it) tells the other
   * node.
   *
   * @param payload content; at most the settings' maximum
   * @param timeoutNanos from now, above 0
   */
  CompletableFuture<ByteBuf> call(MessageType type, ByteBuf payload, long timeoutNanos);

  /**
   * Sends a message that nobody answers. It is lost when the connection breaks.
   *
   * @throws TransportException DISCONNECTED or OVERLOADED when it was certainly not sent
   */
  void send(MessageType type, ByteBuf payload);

  /**
   * Sends a request that a stream answers.
   *
   * @param timeoutNanos for the whole stream, or {@link #NO_DEADLINE}
   * @param creditBytes how much may be on its way to the receiver, above 0; see {@link ReplyStream}
   */
  StreamCall stream(
      MessageType type,
      ByteBuf payload,
      long timeoutNanos,
      int creditBytes,
      StreamReceiver receiver);

  /**
   * Runs the task on the peer's event loop, behind what was submitted before; for protocols that
   * live there and need no locks.
   *
   * @throws java.util.concurrent.RejectedExecutionException when the transport is closed
   */
  void execute(Runnable task);

  /**
   * The same, later.
   *
   * @param delayNanos from now, on the loop's monotonic clock
   */
  void schedule(Runnable task, long delayNanos);

  /** Ends the connection and the attempts; what is under way fails with DISCONNECTED. */
  @Override
  void close();
}
