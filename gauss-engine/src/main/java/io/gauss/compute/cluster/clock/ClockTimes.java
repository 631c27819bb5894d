package io.gauss.compute.cluster.clock;

import java.time.Duration;

/**
 * Times of clock leases, in nanoseconds of monotonic clocks. Nodes may have different ones: the
 * granter of a lease determines its duration.
 *
 * <p>A lease counts from the sending of the call, so calls that take as long as a lease would never
 * bring one, and half of that would leave gaps. Where calls take long, since processors or the
 * network are overloaded, leases are longer: commits wait longer there in any case.
 *
 * @param lease how long a node may take snapshots after it asked for that; together with the
 *     margin, the longest time for which commits wait for a silent node that was answered quickly
 *     before
 * @param first lease that either side counts as having from the other when one joins: no longer
 *     than the lease of any node
 * @param margin how much longer the granter counts than the holder, for clocks that run at
 *     different rates
 * @param ping distance between calls while nothing is committed
 * @param silence after which a node that does not answer is reported, so that the cluster decides
 *     before leases end
 */
public record ClockTimes(long lease, long first, long margin, long ping, long silence) {
  /** No node has a shorter lease. */
  public static final Duration SHORTEST = Duration.ofMillis(100);

  private static final int MARGIN_PART = 10;

  /** A lease is so many times as long as calls have lately taken, */
  private static final int CALLS = 4;

  /** but no longer than this: a node that is silent for as long is soon declared dead. */
  private static final Duration LONGEST = Duration.ofSeconds(3);

  public static final ClockTimes DEFAULTS = ofLease(Duration.ofMillis(300));

  public ClockTimes {
    if (first <= 0
        || lease < first
        || margin < 0
        || ping <= 0
        || silence <= 0
        || Math.max(ping, silence) > lease) {
      throw new IllegalArgumentException("times of clock leases are out of range");
    }
  }

  /**
   * The times that go with a lease: the margin is its last tenth, three pings fit into it, and a
   * silent node is reported after half of it.
   *
   * @param granted for how long commits wait for a silent node at most; at least {@link #SHORTEST}
   */
  public static ClockTimes ofLease(Duration granted) {
    long margin = granted.toNanos() / MARGIN_PART;
    long lease = granted.toNanos() - margin;
    long first = SHORTEST.toNanos() - SHORTEST.toNanos() / MARGIN_PART;
    return new ClockTimes(lease, first, margin, lease / 3, lease / 2);
  }

  /** The longest lease. */
  long longest() {
    return Math.max(lease, LONGEST.toNanos());
  }

  /** The lease of a node to which calls have lately taken so long. */
  long leaseFor(long usualNanos) {
    return Math.clamp(CALLS * usualNanos, lease, longest());
  }

  /**
   * After which silence a node counts as not to be reached to which calls have lately taken so
   * long.
   *
   * @param least where calls take no time
   */
  long patienceFor(long usualNanos, long least) {
    return Math.clamp(CALLS * usualNanos, least, LONGEST.toNanos());
  }

  /** How much longer the granter of such a lease counts than the holder. */
  long marginOf(long granted) {
    return granted <= lease ? margin : Math.max(margin, granted / (MARGIN_PART - 1));
  }

  /** When to report that a node does not answer to which calls have lately taken so long. */
  long silenceFor(long usualNanos) {
    return Math.max(silence, leaseFor(usualNanos) / 2);
  }
}
