package io.gauss.compute.cluster.clock;

import io.gauss.common.transport.Peer;

/** The calls to one peer: one under way at a time. Guarded by the {@link CommitBroadcast}. */
final class ClockLink {
  final int node;
  final int epoch;
  final Peer peer;

  /** The newest change of the catalog (LSN) of which the peer knows. */
  private long told;

  /** A commit up to this LSN waits until the peer knows of it. */
  private long wanted;

  private boolean underWay;
  private boolean failed;
  private boolean called;
  private long lastCall;

  /** A call is unanswered since then. */
  private boolean silent;

  private long silentSince;
  private boolean suspended;
  private long suspendedAt;
  private long reportedAt;

  /**
   * @param told the peer need not be notified of changes of the catalog up to here: it begins after
   *     them
   */
  ClockLink(int node, int epoch, Peer peer, long told) {
    this.told = told;
    this.node = node;
    this.epoch = epoch;
    this.peer = peer;
  }

  /** True when a call has to be sent for this now; otherwise the one after the present one will. */
  boolean want(long lsn) {
    wanted = Math.max(wanted, lsn);
    return !underWay;
  }

  void sent(long now) {
    underWay = true;
    called = true;
    lastCall = now;
    if (!silent) {
      silent = true;
      silentSince = now;
      reportedAt = now;
    }
  }

  /** True when another call has to be sent at once. */
  boolean answered(long knownClock) {
    underWay = false;
    failed = false;
    silent = false;
    suspended = false;
    return wanted > knownClock;
  }

  long told() {
    return told;
  }

  void told(long change) {
    told = Math.max(told, change);
  }

  void failed() {
    underWay = false;
    failed = true;
  }

  /** Nanoseconds until the next call; 0 or less = now. */
  long dueIn(ClockTimes times, long now) {
    if (!called) {
      return 0;
    }
    // A failed call is soon repeated; a call that is under way ends by its timeout at the latest.
    long after = underWay ? times.lease() : failed ? times.ping() / 4 : times.ping();
    return Math.max(underWay ? 1 : 0, lastCall + after - now);
  }

  boolean isUnderWay() {
    return underWay;
  }

  boolean isSilentFor(long nanos, long now) {
    return silent && now - silentSince >= nanos;
  }

  /** This node itself was paused: the peer's apparent silence may be its own. */
  void countSilenceAnew(long now) {
    if (silent) {
      silentSince = now;
    }
  }

  /** True when the arbiter is to be asked; true again after a time. */
  boolean asksToSuspend(long every, long now) {
    if (suspended && now - suspendedAt < every) {
      return false;
    }
    suspended = true;
    suspendedAt = now;
    return true;
  }

  boolean reports(long every, long now) {
    if (now - reportedAt < every) {
      return false;
    }
    reportedAt = now;
    return true;
  }
}
