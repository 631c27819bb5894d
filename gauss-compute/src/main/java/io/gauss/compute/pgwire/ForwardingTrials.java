package io.gauss.compute.pgwire;

/**
 * When all transactions of a kind are treated otherwise than they mostly are, those of all clients
 * of all nodes together. What a single one shows depends on where the others are, since the pages
 * that it needs are wherever the last of them was. So there are two states that both look right,
 * one transaction at a time, and two series of trials, one out of each:
 *
 * <ul>
 *   <li>Where the like of a transaction stay, in some periods all go. One that is forwarded alone
 *       finds its pages at home and takes them away; what would save time if all went would stay
 *       for good.
 *   <li>Where its like go, in some periods all stay. One that stays alone has to fetch its pages
 *       from where the others are; what would be faster at home, if all stayed, would go for good.
 * </ul>
 *
 * <p>In each trial it is half of the nodes to which what belongs to them goes, or does not; what
 * belongs to the others is treated as before, so that both are compared in the same load. Which
 * nodes, and when, follows from the time of day alone: the nodes need not agree, and if their
 * clocks differ by less than a period they mostly do.
 *
 * <p>A trial that shows nothing better costs clients what it costs. So after each of these a node
 * takes part in half as many of its series, until one shows something or something else is
 * published. Those that are left are among those of the nodes that take part in more, so that all
 * are together in some. Thread-safe.
 */
final class ForwardingTrials {
  /** Long enough for the pages in use to come, and for some hundred transactions behind that. */
  static final long PERIOD_MILLIS = 4000;

  /** Of so many periods one is a trial of going. */
  static final int ONE_IN = 8;

  /**
   * And one of so many is a trial of staying: where transactions are forwarded, that has mostly
   * been found to save much.
   */
  static final int ONE_STAYS_IN = 16;

  /** A node takes part in one of at least 2 to the power of this of the trials of going. */
  static final int MOST_HALVINGS = 3;

  /** The same of the trials of staying. */
  static final int MOST_STAY_HALVINGS = 4;

  /** Transactions of a trial that have shown nothing before it counts as one of these. */
  static final int ENOUGH = 80;

  private final Series going = new Series(MOST_HALVINGS);
  private final Series staying = new Series(MOST_STAY_HALVINGS);
  private volatile long version;

  /** What takes place with the transactions that belong to a node. */
  enum Trial {
    NONE,
    /** All of them go there. */
    GO,
    /** All of them stay where their clients are. */
    STAY
  }

  /** The trials of one kind. */
  private static final class Series {
    private final int mostHalvings;
    private volatile int halvings;
    private volatile long current; // the last one in which this node has taken part
    private long counted; // the trial of which the next field is; both under this object's lock
    private int inVain;

    Series(int mostHalvings) {
      this.mostHalvings = mostHalvings;
    }

    /**
     * @param trial that takes place; 0 = none
     * @return the same if this node takes part, else 0
     */
    long taken(long trial) {
      if (trial == 0 || Long.numberOfTrailingZeros(mix(~trial)) < halvings) {
        return 0;
      }
      if (trial != current) {
        current = trial;
      }
      return trial;
    }

    void renew() {
      halvings = 0;
    }

    synchronized void took(boolean isBetter) {
      if (isBetter) {
        halvings = 0;
        inVain = 0;
        return;
      }
      if (counted != current) {
        counted = current;
        inVain = 0;
      }
      if (++inVain == ENOUGH) {
        halvings = Math.min(halvings + 1, mostHalvings);
      }
    }
  }

  /**
   * The trial that takes place with what belongs to a node, as far as this node takes part.
   *
   * @param slot of the node to which it belongs
   * @param millis time of day, ms since any time that is the same on all nodes
   * @param published version of what says where transactions belong
   */
  Trial of(int slot, long millis, long published) {
    if (takesPart(trial(millis, published), slot)) {
      return Trial.GO;
    }
    return takesPart(stayTrial(millis, published), slot) ? Trial.STAY : Trial.NONE;
  }

  /**
   * The trial of going that takes place, and in which this node takes part; 0 = none. Parameters as
   * of {@link #of}.
   */
  long trial(long millis, long published) {
    renew(published);
    return going.taken(scheduled(millis));
  }

  /** The same of trials of staying. */
  long stayTrial(long millis, long published) {
    renew(published);
    return staying.taken(scheduledToStay(millis));
  }

  private void renew(long published) {
    if (published != version) {
      version = published;
      going.renew();
      staying.renew();
    }
  }

  /**
   * A transaction was forwarded in a trial, and is over.
   *
   * @param saves whether, with those before it, it has shown that forwarding its like saves time
   */
  void took(boolean saves) {
    going.took(saves);
  }

  /**
   * A transaction has stayed in a trial, and is over.
   *
   * @param saves whether, with those before it, it has shown that its like had better stay
   */
  void tookStaying(boolean saves) {
    staying.took(saves);
  }

  /** The trial of going that takes place for nodes that take part in all of them; 0 = none. */
  static long scheduled(long millis) {
    long period = Math.floorDiv(millis, PERIOD_MILLIS);
    return Math.floorMod(mix(period), ONE_IN) == 0 ? period : 0;
  }

  /** The same of trials of staying; never at the time of the other ones. */
  static long scheduledToStay(long millis) {
    long period = Math.floorDiv(millis, PERIOD_MILLIS);
    return Math.floorMod(mix(period), ONE_STAYS_IN) == 1 ? period : 0;
  }

  /**
   * Whether a trial is of what belongs to a node.
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
