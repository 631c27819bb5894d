package io.gauss.memory.wire;

import io.gauss.memory.coherence.Mode;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;

/** A message from a compute node to a memory node. */
public sealed interface ToHome extends PageMessage {

  /** To the home of a bucket, by the epoch under which the sender knows it. */
  sealed interface OfBucket extends ToHome {
    long homeEpoch();

    int bucket();
  }

  /** About one page. */
  sealed interface OfPage extends OfBucket {
    long page();

    @Override
    default int bucket() {
      return PageBuckets.of(page());
    }
  }

  /** The sender needs the page. */
  record Want(long homeEpoch, long page, Mode mode) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return mode == Mode.READ ? PageMessageKind.WANT_READ : PageMessageKind.WANT_WRITE;
    }
  }

  /** The page has left the sender, which was to share it with this reader. */
  record Refused(long homeEpoch, long page, int reader, int readerEpoch) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.REFUSED;
    }
  }

  /**
   * The sender has got the page from its owner.
   *
   * @param lsn of the page as it arrived; 0 = not said
   */
  record Confirm(long homeEpoch, long page, long number, long lsn) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.CONFIRM;
    }
  }

  /**
   * The owner gives the page back.
   *
   * @param lsn of the page
   * @param bytes the page, or null when they would be of no use
   */
  record Release(long homeEpoch, long page, long number, long lsn, ByteBuf bytes)
      implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.RELEASE;
    }

    /** The same without bytes: the page stores also have the page, as of its LSN. */
    public Release withoutBytes() {
      release();
      return new Release(homeEpoch, page, number, lsn, null);
    }
  }

  /** The sender has dropped all copies that it got at or below this number. */
  record Dropped(long homeEpoch, long page, long number) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.DROPPED;
    }
  }

  /** The sender, which was to give the page, still has it and keeps it. */
  record Kept(long homeEpoch, long page, long number) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.KEPT;
    }
  }

  /**
   * The sender has given the page away and forgotten it.
   *
   * @param lsn of the page
   */
  record Left(long homeEpoch, long page, long number, long lsn) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.LEFT;
    }
  }

  /** The sender, which was to take the page, does not have it. */
  record NotTaken(long homeEpoch, long page, long number) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.NOT_TAKEN;
    }
  }

  /** Report to a new home: the page is the sender's. */
  record Owns(long homeEpoch, long page, long number) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.OWNS;
    }
  }

  /**
   * Report to a new home: the sender has sent the page to a taker, and does not know whether it got
   * there.
   *
   * @param takerEpoch the newest of the taker's node that the sender has known, dead or not
   * @param lsn of the page
   */
  record Leaving(long homeEpoch, long page, int taker, int takerEpoch, long number, long lsn)
      implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.LEAVING;
    }
  }

  /**
   * Report to a new home: all pages of the bucket have been reported.
   *
   * @param stream the sender's redo stream
   * @param durableEnd offset of its durable end
   */
  record Reported(long homeEpoch, int bucket, int stream, long durableEnd) implements OfBucket {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.REPORTED;
    }
  }

  /**
   * To every memory node: a majority of the page stores has applied the stream up to an offset.
   *
   * @param lsn highest LSN before the offset
   */
  record Applied(int stream, long offset, long lsn) implements ToHome {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.APPLIED;
    }
  }
}
