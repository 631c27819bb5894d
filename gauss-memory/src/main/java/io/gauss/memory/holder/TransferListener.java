package io.gauss.memory.holder;

import io.gauss.memory.coherence.Mode;
import io.gauss.memory.holder.PageFrames.Source;

/**
 * Hears how long it takes until pages come and go; times are in nanoseconds. Called on the page's
 * lane; must not wait.
 */
public interface TransferListener {
  /** Listens to nothing. */
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
   * What was wanted has come.
   *
   * @param nanos since it was wanted
   * @param times what others have told of that, see {@link io.gauss.memory.wire.TransferTimes}; 0
   *     when it does not come from another compute node
   */
  void came(long page, Source source, Mode mode, long nanos, long times);

  /**
   * The page, still here, is being sent to another compute node, for good.
   *
   * @param turn how long it was waited for that threads here had their turn
   * @param revoke then, that its readers dropped their copies
   * @param force then, that the log was durable through its LSN
   */
  void given(long page, long turn, long revoke, long force);

  /** The home says that the taker has the page, so long after it was sent. */
  void confirmed(long page, long nanos);

  /**
   * A copy of the page is being sent to another compute node.
   *
   * @param turn how long it was waited for that threads here had their turn
   */
  void copied(long page, long turn);
}
