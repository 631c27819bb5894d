package io.gauss.common.transport;

import io.netty.buffer.ByteBufAllocator;

/**
 * Communication between the nodes of a cluster: requests with replies and deadlines, one-way
 * messages, streams of replies. One per process and node. Implementations: TCP, and one within a
 * JVM that hands buffers over by reference. Thread-safe.
 *
 * <p>Every message carries its sender's node, epoch and clock. Before a handler or a caller sees a
 * message, the receiver's clock was raised to it; messages from a dead epoch are dropped and their
 * connection is closed (law 7, clocks travel).
 */
public interface Transport extends AutoCloseable {
  NodeIdentity self();

  /** For payloads: pooled and off-heap, so that sending copies nothing. */
  ByteBufAllocator allocator();

  /**
   * Accepts connections of other nodes.
   *
   * @return the address at which it listens, with the chosen port if 0 was requested
   * @throws io.gauss.common.error.GaussException 58030 when the address cannot be bound
   */
  NodeAddress listen(NodeAddress address, Handlers handlers);

  /**
   * Begins to connect; never fails and does not wait. Each call creates a separate connection: an
   * append stream that must not wait behind page reads gets its own peer.
   *
   * @param expectedNode the node that must answer there; 0 = any
   */
  Peer connect(NodeAddress address, int expectedNode);

  /** Adds a listener for all connections, incoming and outgoing. */
  void addListener(ConnectionListener listener);

  /**
   * Stops listening and ends all connections. Calls under way fail on both sides with DISCONNECTED.
   * Returns when the event loops have ended; not to be called on one of them.
   */
  @Override
  void close();
}
