package io.gauss.memory.wire;

import io.netty.buffer.ByteBuf;

/** A message from a compute node to another one about a page. */
public sealed interface FromHolder extends ToCompute {

  long page();

  long number();

  /** A page with its bytes. */
  sealed interface WithPage extends FromHolder {

    /** How long it took until the page was sent, see {@link TransferTimes}. */
    long times();

    long lsn();

    @Override
    ByteBuf bytes();
  }

  /** A copy to read. */
  record Copy(long page, long number, long lsn, long times, ByteBuf bytes) implements WithPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.COPY;
    }
  }

  /** The page with ownership. */
  record Given(long page, long number, long lsn, long times, ByteBuf bytes) implements WithPage {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.GIVEN;
    }
  }

  /** The reader is to drop its copy. */
  record RevokeCopy(long page, long number) implements FromHolder {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.REVOKE_COPY;
    }
  }

  /** The reader has dropped its copy. */
  record CopyDropped(long page, long number) implements FromHolder {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.COPY_DROPPED;
    }
  }

  /** Sent after the page: the taker is to report to the home what has become of it. */
  record Probe(long page, long number) implements FromHolder {
    @Override
    public PageMessageKind kind() {
      return PageMessageKind.PROBE;
    }
  }
}
