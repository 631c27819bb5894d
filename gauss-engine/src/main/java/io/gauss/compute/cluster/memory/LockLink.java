package io.gauss.compute.cluster.memory;

import io.gauss.memory.wire.LockLayout;
import io.netty.buffer.ByteBuf;

/**
 * Messages about locks between this node and the homes of its buckets, in sessions (rule 14). The
 * home is the memory node that last declared itself so: orders of earlier ones are not passed on.
 *
 * <p>Thread-safe; nothing here waits.
 */
public interface LockLink {

  /**
   * An empty message for the home of a bucket, to be filled by {@link LockLayout#add} with items
   * about locks of this bucket.
   */
  ByteBuf message(int bucket);

  /**
   * Sends a message to the bucket's home and takes it over. Messages for one home arrive in the
   * order given. While no home has declared itself, the message is dropped: requests are repeated
   * when one serves the bucket ({@link Receiver#askAgain}).
   */
  void toHome(int bucket, ByteBuf message);

  /**
   * Sets the receiver of the homes' messages. Called once, before messages of other nodes are
   * accepted.
   */
  void receiver(Receiver receiver);

  /**
   * Takes the homes' messages, in order for each home, on transport threads: must not block. Calls
   * for different homes may be concurrent.
   */
  interface Receiver extends LockLayout.NodeReceiver {
    /**
     * The bucket has another home from now on, or starts over at its home, and knows nothing: the
     * locks of the bucket that this node holds are reported by {@link #toHome} before this returns,
     * so that the home has them before it is informed that the bucket is reported.
     */
    void homeChanged(int bucket);

    /** The bucket's home serves: pending requests are repeated. */
    void askAgain(int bucket);
  }
}
