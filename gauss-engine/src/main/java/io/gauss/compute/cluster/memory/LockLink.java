package io.gauss.compute.cluster.memory;

import io.gauss.memory.wire.LockLayout;
import io.netty.buffer.ByteBuf;

/**
 * Messages about locks between this node and the homes of its buckets, in sessions (rule 14). A
 * home is whichever memory node said last that it is: orders of earlier ones are not passed on.
 *
 * <p>Thread-safe; nothing here waits.
 */
public interface LockLink {

  /**
   * An empty message for the home of a bucket, to be filled by {@link LockLayout#add} with what
   * concerns locks of this bucket.
   */
  ByteBuf message(int bucket);

  /**
   * Sends a message to the bucket's home and takes it over. Messages for one home arrive in the
   * order given. While no home has spoken it is dropped: what is asked for is asked again when one
   * serves the bucket ({@link Receiver#askAgain}).
   */
  void toHome(int bucket, ByteBuf message);

  /** Who takes what homes say. Once, before messages of other nodes are let in. */
  void receiver(Receiver receiver);

  /**
   * Takes what homes say, in order for each home, on transport threads: must not block. Calls for
   * different homes may be at once.
   */
  interface Receiver extends LockLayout.NodeReceiver {
    /**
     * The bucket has another home from now on, or starts over at its home, and knows nothing: what
     * this node has of its locks is reported by {@link #toHome} before this returns, so that the
     * home has it before it hears that the bucket is reported.
     */
    void homeChanged(int bucket);

    /** The bucket's home serves: whatever is waited for is asked for again. */
    void askAgain(int bucket);
  }
}
