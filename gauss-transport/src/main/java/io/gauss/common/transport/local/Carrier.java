package io.gauss.common.transport.local;

import io.gauss.common.transport.link.Loop;
import io.netty.buffer.ByteBuf;

/**
 * Delivers messages from one node of a {@link LocalNetwork} to another: at once, or as a test
 * requires.
 */
public interface Carrier {
  /**
   * Opens one direction of a connection.
   *
   * @param to loop of the receiving end
   * @param onReset breaks the sending end without notice to the other; to be called on its loop
   */
  Path open(int fromNode, int toNode, Loop from, Loop to, Runnable onReset);

  /** A delivery of messages, for carriers to which it matters what they carry. */
  interface Messages extends Runnable {
    /** How many there are; the end of the connection counts as one. */
    int count();

    /** The transport's type of a message; 0 for the end of the connection and the like. */
    int type(int index);

    /** What a message says; empty when it is the end of the connection. Not to be changed. */
    ByteBuf payload(int index);

    /** Has other bytes arrive, and takes over what is given. */
    void replace(int index, ByteBuf payload);
  }

  /** One direction of a connection: keeps the order. */
  interface Path {
    /**
     * Runs the delivery on the receiving loop, at some time, or never.
     *
     * @param delivery {@link Messages}, except while the connection is made
     * @throws java.util.concurrent.RejectedExecutionException when that loop has ended
     */
    void carry(long bytes, Runnable delivery);

    /** How often a one-way message of this type arrives: 1 unless a test requires more. */
    int copies(int messageType);

    /** The sending end is closed: nothing more is carried. */
    void close();
  }
}
