package io.gauss.compute.routing;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The share of a role's transactions that is sampled, as {@link SamplingShares} sets it. Others
 * than those who set it may use it from any thread.
 */
final class SamplingRate {
  /**
   * Least mean number of transactions before the next try once the samples of a second are used up.
   */
  private static final int PAUSE = 64;

  private final boolean isOff;
  private final AtomicInteger own = new AtomicInteger();
  private final AtomicInteger spare;
  private volatile double interval = 1;
  private volatile int changes; // of the interval

  /**
   * @param spare samples of this second that any role may take
   */
  SamplingRate(boolean isOff, AtomicInteger spare) {
    this.isOff = isOff;
    this.spare = spare;
  }

  /**
   * From now on.
   *
   * @param samples of the next second that are only for this role
   * @param mean number of transactions from one sample to the next, at least 1
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread sets it
  void set(int samples, double mean) {
    own.set(samples);
    if (mean != interval) {
      interval = mean;
      changes++;
    }
  }

  /**
   * Another number than before when the interval has changed: gaps that were drawn for the one
   * before are to be drawn again. Since gaps have no memory, that changes no transaction's chance.
   */
  int changes() {
    return changes;
  }

  /** Whether the transaction whose turn it is may be sampled. */
  boolean tryTake() {
    return tryTake(own) || tryTake(spare);
  }

  private static boolean tryTake(AtomicInteger left) {
    return left.get() > 0 && left.getAndDecrement() > 0;
  }

  /** Mean number of transactions from one sample to the next, at least 1. */
  double interval() {
    return interval;
  }

  /**
   * Number of transactions until the next one is sampled, 1 = the next; distributed so that each of
   * the role's has the same chance, independent of earlier ones.
   *
   * @param uniform in [0, 1)
   * @param refused whether the last try was refused
   * @param of the {@link #interval}
   */
  int gap(double uniform, boolean refused, double of) {
    if (isOff) {
      return Integer.MAX_VALUE;
    }
    double mean = refused ? Math.max(PAUSE, of) : of;
    if (mean <= 1) {
      return 1;
    }
    double gap = Math.log1p(-uniform) / Math.log1p(-1 / mean);
    return (int) Math.min(Integer.MAX_VALUE, 1 + Math.floor(gap));
  }
}
