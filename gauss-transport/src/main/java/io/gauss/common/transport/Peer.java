package io.gauss.common.transport;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;

/**
 * A connection to another node, which reconnects by itself.
 *
 * <p><b>Order.</b> Messages of one thread arrive in order while the connection lasts. Nothing is
 * sent twice: messages under way when the connection broke fail, and the error tells whether they
 * may have been executed. Exactly-once delivery is provided above, by {@code transport.session}.
 *
 * <p><b>While there is no connection.</b> A message sent while a connection is being made waits for
 * the attempt. In the pause after a failed attempt it fails at once with DISCONNECTED, so that the
 * caller can use another node. {@link #connected} waits longer.
 *
 * <p><b>Buffers.</b> Every method takes over the payload it is given and releases it, also when it
 * fails or throws. A payload must not be changed afterwards; in one JVM the receiver gets the same
 * buffer. The caller owns replies and releases them.
 *
 * <p><b>Threads.</b> Thread-safe. Futures complete and receivers run on the peer's event loop:
 * dependent actions must not block, or must use an executor.
 */
public interface Peer extends AutoCloseable {
  /** Stands for no timeout. Only streams may be without one. */
  long NO_DEADLINE = Long.MAX_VALUE;

  NodeAddress address();

  /** The node at the other end; null before the first connection. */
  RemoteNode remote();

  /** True while messages can be sent. */
  boolean isConnected();

  /**
   * Completes when there is a connection, at once if there is one; fails when the peer is closed.
   * It fails with REFUSED as soon as either side has refused the connection, which is not a
   * temporary failure; attempts still continue.
   */
  CompletableFuture<RemoteNode> connected();

  /**
   * Sends a request. The future completes with the reply's payload, or fails with {@link
   * TransportException}. Cancelling the future itself (not one derived from it) informs the other
   * node.
   *
   * @param payload content; at most the settings' maximum
   * @param timeoutNanos from now, above 0
   */
  CompletableFuture<ByteBuf> call(MessageType type, ByteBuf payload, long timeoutNanos);

  /**
   * Sends a message without an answer. It is lost when the connection breaks.
   *
   * @throws TransportException DISCONNECTED or OVERLOADED when it was certainly not sent
   */
  void send(MessageType type, ByteBuf payload);

  /**
   * Sends a request that is answered by a stream.
   *
   * @param timeoutNanos for the whole stream, or {@link #NO_DEADLINE}
   * @param creditBytes maximum number of bytes under way to the receiver, above 0; see {@link
   *     ReplyStream}
   */
  StreamCall stream(
      MessageType type,
      ByteBuf payload,
      long timeoutNanos,
      int creditBytes,
      StreamReceiver receiver);

  /**
   * Runs the task on the peer's event loop, after earlier submissions; for protocols that run there
   * and need no locks.
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

  /** Ends the connection and the attempts; messages under way fail with DISCONNECTED. */
  @Override
  void close();
}
