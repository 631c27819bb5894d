package io.gauss.compute.cluster.clock;

import io.gauss.common.transport.Peer;
import java.util.Arrays;

/**
 * The calls to one peer: one under way at a time. Guarded by the {@link CommitBroadcast}.
 *
 * <p>Also how long they have lately taken: of the slowest call of each of the last periods, a lease
 * long, the second slowest. So a node that stood still once does not count as slow.
 */
final class ClockLink {
  private static final int PERIODS = 8;

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
  private final long[] slowest = new long[PERIODS]; // nanoseconds, in a circle
  private int period;
  private long periodBegan;
  private long timeout; // of the call that is under way, or was last
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

  /**
   * A call is sent.
   *
   * @return nanoseconds after which it counts as not answered: longer than the lease that it is
   *     for, or what takes that long would never be measured, and twice as long each time
   */
  long sent(ClockTimes times, long now) {
    long least = times.leaseFor(usualNanos());
    timeout = failed ? Math.clamp(2 * timeout, least, times.longest()) : least;
    underWay = true;
    called = true;
    lastCall = now;
    if (!silent) {
      silent = true;
      silentSince = now;
      reportedAt = now;
    }
    return timeout;
  }

  /** How long calls to this peer have lately taken. */
  long usualNanos() {
    long[] sorted = slowest.clone();
    Arrays.sort(sorted);
    return sorted[PERIODS - 2];
  }

  private void took(ClockTimes times, long nanos, long now) {
    if (now - periodBegan >= times.lease()) {
      periodBegan = now;
      period = (period + 1) % PERIODS;
      slowest[period] = 0;
    }
    slowest[period] = Math.max(slowest[period], nanos);
  }

  /** True when another call has to be sent at once. */
  boolean answered(ClockTimes times, long knownClock, long now) {
    took(times, now - lastCall, now);
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
    long after = underWay ? timeout : failed ? times.ping() / 4 : times.ping();
    return Math.max(underWay ? 1 : 0, lastCall + after - now);
  }

  boolean isUnderWay() {
    return underWay;
  }

  /** Whether it has not answered for so long that it is to be reported. */
  boolean isSilent(ClockTimes times, long now) {
    return isSilentFor(times.silenceFor(usualNanos()), now);
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
