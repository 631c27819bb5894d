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
 *
 * <p>A trial in which nothing is saved costs clients what forwarding costs. So after each of these
 * a node takes part in half as many, until something is saved or published. Those that are left are
 * among those of the nodes that take part in more, so that all are together in some. Thread-safe.
 */
final class ForwardingTrials {
  /** Long enough for the pages in use to come, and for some hundred transactions behind that. */
  static final long PERIOD_MILLIS = 4000;

  /** Of so many periods one is a trial. */
  static final int ONE_IN = 8;

  /** A node takes part in one of at least 2 to the power of this. */
  static final int MOST_HALVINGS = 3;

  /** Transactions of a trial that have saved nothing before it counts as one of these. */
  static final int ENOUGH = 80;

  private volatile int halvings;
  private volatile long version;
  private volatile long current; // the last one in which this node has taken part
  private long counted; // the trial of which the next field is; both under this object's lock
  private int inVain;

  /**
   * The trial that takes place, and in which this node takes part; 0 = none.
   *
   * @param millis time of day, ms since any time that is the same on all nodes
   * @param published version of what says where transactions belong
   */
  long trial(long millis, long published) {
    if (published != version) {
      version = published;
      halvings = 0;
    }
    long trial = scheduled(millis);
    if (trial == 0 || Long.numberOfTrailingZeros(mix(~trial)) < halvings) {
      return 0;
    }
    if (trial != current) {
      current = trial;
    }
    return trial;
  }

  /**
   * A transaction was forwarded in a trial, and is over.
   *
   * @param saves whether, with those before it, it has shown that forwarding its like saves time
   */
  synchronized void took(boolean saves) {
    if (saves) {
      halvings = 0;
      inVain = 0;
      return;
    }
    if (counted != current) {
      counted = current;
      inVain = 0;
    }
    if (++inVain == ENOUGH) {
      halvings = Math.min(halvings + 1, MOST_HALVINGS);
    }
  }

  /** The trial that takes place for nodes that take part in all of them; 0 = none. */
  static long scheduled(long millis) {
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
