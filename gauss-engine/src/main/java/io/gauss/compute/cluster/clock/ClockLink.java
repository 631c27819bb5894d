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

  /** Whether it is to be called now; so that all are called at once, also a little too early. */
  boolean isDue(ClockTimes times, long now) {
    return !underWay && (!called || nextCall(times) - now <= times.ping() / 8);
  }

  /** A failed call is soon repeated. */
  private long nextCall(ClockTimes times) {
    return lastCall + (failed ? times.ping() / 4 : times.ping());
  }

  /**
   * Nanoseconds, more than 0, until there may be something to do about this peer: the next call, or
   * its silence. Commits call it in between, which puts that off.
   */
  long lookIn(ClockTimes times, long now) {
    long next = nextCall(times) - now;
    if (silent) {
      long reported = silentSince + times.silenceFor(usualNanos()) - now;
      next = next > 0 && reported > 0 ? Math.min(next, reported) : Math.max(next, reported);
    }
    return next > 0 ? next : times.ping() / 4;
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

  /** This node itself stood still for so long: that is no silence of the peer. */
  void stoodStill(long nanos, long now) {
    if (silent) {
      silentSince += Math.min(nanos, now - silentSince);
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
