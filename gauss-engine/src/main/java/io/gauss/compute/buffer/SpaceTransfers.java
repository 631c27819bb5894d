package io.gauss.compute.buffer;

import io.gauss.common.page.PageLayout;
import io.gauss.compute.wait.Latencies;
import java.util.concurrent.atomic.AtomicLongArray;

/** Pages of one space that came from other nodes and went there, since the start. Thread-safe. */
public final class SpaceTransfers {
  /** What is counted for each kind of page. */
  public enum Count {
    /** A copy came from the node that owns the page. */
    COPY_IN,
    /** The page came, to be written, from the node that owned it. */
    OWNED_IN,
    /** A copy went to another node. */
    COPY_OUT,
    /** The page went to another node, which owns it now. */
    OWNED_OUT,
    /** The page, or the right to it, came from a memory node. */
    FROM_MEMORY,
    /** The page came from a page store, the right to it from its home. */
    FROM_STORAGE
  }

  private static final int COUNTS = Count.values().length;

  private final AtomicLongArray counts = new AtomicLongArray(PageKind.values().length * COUNTS);
  private final AtomicLongArray causes = new AtomicLongArray(TransferCause.values().length);
  private final Latencies[] phases = new Latencies[TransferPhase.values().length];

  SpaceTransfers() {
    for (int i = 0; i < phases.length; i++) {
      phases[i] = new Latencies();
    }
  }

  void count(PageKind kind, Count what) {
    counts.getAndIncrement(kind.ordinal() * COUNTS + what.ordinal());
  }

  void cause(TransferCause cause) {
    causes.getAndIncrement(cause.ordinal());
  }

  public long count(Count what, PageKind kind) {
    return counts.get(kind.ordinal() * COUNTS + what.ordinal());
  }

  /** Of all kinds of pages. */
  public long count(Count what) {
    long sum = 0;
    for (PageKind kind : PageKind.values()) {
      sum += count(what, kind);
    }
    return sum;
  }

  public long bytesIn(PageKind kind) {
    return (count(Count.COPY_IN, kind) + count(Count.OWNED_IN, kind)) * PageLayout.PAGE_BYTES;
  }

  public long bytesOut(PageKind kind) {
    return (count(Count.COPY_OUT, kind) + count(Count.OWNED_OUT, kind)) * PageLayout.PAGE_BYTES;
  }

  /** How often leaves that came to be written were needed for this cause. */
  public long count(TransferCause cause) {
    return causes.get(cause.ordinal());
  }

  public Latencies phase(TransferPhase phase) {
    return phases[phase.ordinal()];
  }
}
