package io.gauss.compute.routing;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The share of the transactions that is sampled: such that the wanted number a second results at
 * the load of the second before, and at most twice that number while the load rises. Thread-safe;
 * {@link #adapt} by one thread.
 */
final class SamplingRate {
  /**
   * Least mean number of transactions before the next try once the samples of a second are used up.
   */
  private static final int PAUSE = 64;

  private static final double NANOS_PER_SECOND = 1e9;

  private final int perSecond;
  private final AtomicInteger left;
  private volatile double interval = 1;
  private long lastTransactions;
  private long lastNanos;

  /**
   * @param perSecond samples wanted; 0 = none
   */
  SamplingRate(int perSecond, long nowNanos) {
    this.perSecond = perSecond;
    this.left = new AtomicInteger(2 * perSecond);
    this.lastNanos = nowNanos;
  }

  /** Whether the transaction whose turn it is may be sampled. */
  boolean tryTake() {
    return left.get() > 0 && left.getAndDecrement() > 0;
  }

  /** Mean number of transactions from one sample to the next, at least 1. */
  double interval() {
    return interval;
  }

  /**
   * Number of transactions until the next one is sampled, 1 = the next; distributed so that each
   * has the same chance, independent of earlier ones.
   *
   * @param uniform in [0, 1)
   * @param refused whether the last try was refused
   */
  int gap(double uniform, boolean refused) {
    if (perSecond == 0) {
      return Integer.MAX_VALUE;
    }
    double mean = refused ? Math.max(PAUSE, interval) : interval;
    if (mean <= 1) {
      return 1;
    }
    double gap = Math.log1p(-uniform) / Math.log1p(-1 / mean);
    return (int) Math.min(Integer.MAX_VALUE, 1 + Math.floor(gap));
  }

  /**
   * Adapts the share to the load; runs about once a second.
   *
   * @param transactions so far
   */
  void adapt(long transactions, long nowNanos) {
    double seconds = (nowNanos - lastNanos) / NANOS_PER_SECOND;
    if (seconds <= 0) {
      return;
    }
    double rate = Math.max(0, transactions - lastTransactions) / seconds;
    interval = perSecond == 0 ? Double.MAX_VALUE : Math.max(1, rate / perSecond);
    lastTransactions = transactions;
    lastNanos = nowNanos;
    left.set(2 * perSecond);
  }
}
