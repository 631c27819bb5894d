package io.gauss.memory.holder;

import io.gauss.memory.coherence.Mode;
import io.gauss.memory.holder.PageFrames.Source;

/**
 * Receives how long pages take to arrive and to be given away, in nanoseconds. Called on the page's
 * lane; must not wait.
 */
public interface TransferListener {
  /** Ignores everything. */
  TransferListener NONE =
      new TransferListener() {
        @Override
        public void came(long page, Source source, Mode mode, long nanos, long times) {}

        @Override
        public void given(long page, long turn, long revoke, long force) {}

        @Override
        public void confirmed(long page, long nanos) {}

        @Override
        public void copied(long page, long turn) {}
      };

  /**
   * A requested page or right has arrived.
   *
   * @param nanos since it was requested
   * @param times of the other nodes involved, see {@link io.gauss.memory.wire.TransferTimes}; 0
   *     unless it comes from another compute node
   */
  void came(long page, Source source, Mode mode, long nanos, long times);

  /**
   * The page, still here, is being given to another compute node.
   *
   * @param turn wait until threads here had had their turn
   * @param revoke wait after that until its readers had dropped their copies
   * @param force wait after that until the log was durable through its LSN
   */
  void given(long page, long turn, long revoke, long force);

  /** The home has confirmed that the taker has the page, this long after it was sent. */
  void confirmed(long page, long nanos);

  /**
   * A copy of the page is being sent to another compute node.
   *
   * @param turn wait until threads here had had their turn
   */
  void copied(long page, long turn);
}
