package io.gauss.memory.wire;

import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;

/** A message from the home of a bucket to a compute node, with the home's epoch. */
public sealed interface FromHome extends ToCompute {

  long homeEpoch();

  int bucket();

  /** About one page. */
  sealed interface OfPage extends FromHome {
    long page();

    @Override
    default int bucket() {
      return PageBuckets.of(page());
    }
  }

  /**
   * The receiver may use the page.
   *
   * @param owned the page is the receiver's; otherwise it may read a copy
   * @param lsn of the page; 0 = any will do
   * @param bytes the page, or null when a page store has to be read
   */
  record Grant(long homeEpoch, long page, boolean owned, long number, long lsn, ByteBuf bytes)
      implements OfPage {
    @Override
    public PageMessageKind kind() {
      return owned ? PageMessageKind.GRANT_WRITE : PageMessageKind.GRANT_READ;
    }
  }

  /**
   * The receiver, which owns the page, is to send the reader a copy.
   *
   * @param waitedNanos how long the request has waited at the home
   */
  record Share(
      long homeEpoch, long page, int reader, int readerEpoch, long number, long waitedNanos)
      implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.SHARE;
    }
  }

  /**
   * The receiver, which owns the page, is to give it to the taker.
   *
   * @param waitedNanos how long the request has waited at the home
   */
  record Transfer(
      long homeEpoch, long page, int taker, int takerEpoch, long number, long waitedNanos)
      implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.TRANSFER;
    }
  }

  /** The taker has the page: the receiver may forget it. */
  record Confirmed(long homeEpoch, long page, long number) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.CONFIRMED;
    }
  }

  /** The receiver is to drop its copy. */
  record Revoke(long homeEpoch, long page, long number) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.REVOKE;
    }
  }

  /** The other side of a transfer has died: the receiver is to report how far it has come. */
  record Ask(long homeEpoch, long page, long number) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.ASK;
    }
  }

  /** The receiver, which gave the page, is to send a probe to the taker. */
  record Trace(long homeEpoch, long page, int taker, int takerEpoch, long number)
      implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.TRACE;
    }
  }

  /** The receiver's request cannot be granted: the page directory is full. */
  record NoRoom(long homeEpoch, long page) implements OfPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.NO_ROOM;
    }
  }

  /** The receiver is to repeat its requests for all pages of the bucket that it waits for. */
  record AskAgain(long homeEpoch, int bucket) implements FromHome {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.ASK_AGAIN;
    }
  }

  /** The sender is the bucket's home: the receiver is to report what it has of it. */
  record Home(long homeEpoch, int bucket) implements FromHome {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.HOME;
    }
  }

  /**
   * A page store must have applied the stream up to the offset before a page of the bucket is read
   * there (rule 18).
   */
  record Floor(long homeEpoch, int bucket, int stream, long offset) implements FromHome {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.FLOOR;
    }
  }
}
