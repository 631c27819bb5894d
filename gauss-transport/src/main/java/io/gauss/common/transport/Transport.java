package io.gauss.common.transport;

import io.netty.buffer.ByteBufAllocator;

/**
 * How the nodes of a cluster talk to each other: requests with replies and deadlines, one-way
 * messages, streams of replies. One per process and node. Implementations: TCP, and one within a
 * JVM that hands buffers over by reference. Thread-safe.
 *
 * <p>Every message carries its sender's node, epoch and clock. Before a handler or a caller sees a
 * message, the receiver's clock was raised to it; what comes from a dead epoch is dropped and its
 * connection closed (law 7, clocks travel).
 */
public interface Transport extends AutoCloseable {
  NodeIdentity self();

  /** For payloads: pooled and off-heap, so that sending copies nothing. */
  ByteBufAllocator allocator();

  /**
   * Accepts connections of other nodes.
   *
   * @return where it listens, with the port that was chosen when 0 was asked for
   * @throws io.gauss.common.error.GaussException 58030 when the address cannot be had
   */
  NodeAddress listen(NodeAddress address, Handlers handlers);

  /**
   * Begins to connect; never fails and does not wait. Each call makes a connection of its own: an
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
