package io.gauss.storage.remote;

import io.gauss.common.transport.Peer;

/**
 * One storage node to read pages from, and how long it takes to answer. Thread-safe; the estimate
 * tolerates lost updates.
 */
final class PageReplica {
  /** Estimate for a failed replica: it is asked last, but is used again when the others fail. */
  private static final long FAILED_NANOS = 1_000_000_000;

  private static final int WEIGHT = 8;

  private final Peer peer;
  private volatile long expectedNanos;

  PageReplica(Peer peer) {
    this.peer = peer;
  }

  Peer peer() {
    return peer;
  }

  /** Weighted mean of the last answers' times. */
  long expectedNanos() {
    return peer.isConnected() ? expectedNanos : Math.max(expectedNanos, FAILED_NANOS);
  }

  void answered(long nanos) {
    long before = expectedNanos;
    expectedNanos = before == 0 ? nanos : before + (nanos - before) / WEIGHT;
  }

  void failed() {
    expectedNanos = FAILED_NANOS;
  }
}
