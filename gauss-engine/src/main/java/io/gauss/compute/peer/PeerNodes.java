package io.gauss.compute.peer;

import io.gauss.common.transport.MessageType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.CompletableFuture;

/**
 * The compute nodes of the cluster, by slot. Thread-safe; nothing here waits.
 *
 * <p>Two kinds of messages: {@link #call} is a question that has one answer and may be repeated;
 * {@link #send} is a message that arrives once and after those sent before it, or else the session
 * is broken and {@link PeerListener#lost} is called. Both travel with this node's clock (law 7,
 * clocks travel).
 */
public interface PeerNodes {
  /** There are no other nodes: for a single node. */
  PeerNodes NONE = new NoPeers();

  /** Result of {@link #answering} for a slot that no node ever had. */
  int NO_SUCH_SLOT = -1;

  /**
   * Who answers for a slot's undo segments, and about which life of its node.
   *
   * @param by slot of the node that answers now: that slot itself, or its recoverer, or this node
   *     while nothing changes there; 0 while no node does, because it died and its recovery is not
   *     far enough; {@link #NO_SUCH_SLOT} when it never had a node, as far as is known here
   * @param epoch of the node's life whose transactions are the newest in the segments
   */
  record Answerer(int by, int epoch) {}

  /** The slot of this node. */
  int self();

  /**
   * Who answers for a slot now. The same object as long as nothing has changed, whatever it was in
   * between: a thread that has seen one and finds the same again knows that the segments have not
   * changed, if this node was to read them itself.
   */
  Answerer answerer(int slot);

  /** The slot of the node that answers for a slot's undo segments now: {@link Answerer#by}. */
  default int answering(int slot) {
    return answerer(slot).by();
  }

  /** Whether a node is live, as far as is known. */
  boolean has(int node);

  /** Whether a node is live in this epoch, as far as is known. */
  boolean has(int node, int epoch);

  /**
   * Asks a node.
   *
   * @param node its slot
   * @param payload taken over
   * @return the answer's payload, which the caller releases; or fails with {@link
   *     io.gauss.common.transport.TransportException}, also when there is no such node
   */
  CompletableFuture<ByteBuf> call(int node, MessageType type, ByteBuf payload, long timeoutNanos);

  /**
   * Sends a message. When the node is gone the message is dropped, and {@code lost} has been or
   * will be called.
   *
   * @param node its slot
   * @param payload taken over
   */
  void send(int node, MessageType type, ByteBuf payload);

  /**
   * Sends a message to a node in this epoch; a process that has replaced it does not get the
   * message.
   *
   * @param node its slot
   * @param payload taken over
   */
  void send(int node, int epoch, MessageType type, ByteBuf payload);

  ByteBufAllocator allocator();

  void addListener(PeerListener listener);
}
