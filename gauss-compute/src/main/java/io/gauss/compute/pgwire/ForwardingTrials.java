package io.gauss.compute.pgwire;

/**
 * When transactions whose like stay are forwarded all the same, those of all clients of all nodes
 * together. One that is forwarded alone shows little: the pages that it needs are wherever the last
 * of those was that stay, and go back with the next one. So what would save time if all went would
 * stay for good.
 *
 * <p>One period in so many is a trial, and in each trial half of the nodes get what belongs to
 * them; what belongs to the others stays, so that both are compared in the same load. Which nodes,
 * and when, follows from the time of day alone: the nodes need not agree, and if their clocks
 * differ by less than a period they mostly do.
 */
final class ForwardingTrials {
  /** Long enough for the pages in use to come, and for some hundred transactions behind that. */
  static final long PERIOD_MILLIS = 4000;

  /** Of so many periods one is a trial. */
  static final int ONE_IN = 8;

  private ForwardingTrials() {}

  /**
   * The trial that takes place; 0 = none.
   *
   * @param millis time of day, ms since any time that is the same on all nodes
   */
  static long trial(long millis) {
    long period = Math.floorDiv(millis, PERIOD_MILLIS);
    return Math.floorMod(mix(period), ONE_IN) == 0 ? period : 0;
  }

  /**
   * Whether what belongs to a node goes there.
   *
   * @param trial 0 = none takes place
   */
  static boolean takesPart(long trial, int slot) {
    return trial != 0 && (mix(trial * 31 + slot) & 1) == 0;
  }

  /** By SplitMix64: neighbours have nothing in common. */
  private static long mix(long value) {
    long z = (value + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }
}
