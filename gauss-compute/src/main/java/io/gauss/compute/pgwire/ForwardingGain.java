package io.gauss.compute.pgwire;

import io.gauss.compute.pgwire.ForwardingTrials.Trial;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Whether forwarding pays, by the kind of a transaction: the template of its first statement and
 * how clearly the other node is better. So the margin by which that has to be better is measured,
 * for each template. Of the transactions that belong to another node a few are run here, by lot,
 * and the time that clients wait is compared; where forwarding does not save enough all stay, but
 * for a few that are forwarded to keep comparing. And but for {@linkplain ForwardingTrials trials},
 * in which all that stay go together, or all that go stay: only these show what is saved if all go,
 * or what it costs. What differs between two templates, nodes or times differs for both groups.
 *
 * <p>Times are compared by the mean of their logarithms. One transaction that has waited for a lock
 * moves it no more than others do, and the older a transaction is, the less it counts. Thread-safe.
 */
final class ForwardingGain {
  /** One transaction in so many is run as the others of its template are not. */
  static final int ONE_IN = 16;

  /** The same before enough is known of the template. */
  static final int ONE_IN_AT_FIRST = 4;

  /** Transactions of either kind before they are compared. */
  static final int ENOUGH = 16;

  /** Logarithm of the time ratio that is worth the other node's session and the round trips. */
  static final double WORTH_IT = 0.05;

  /** So much less is enough to continue with what is done. */
  static final double HYSTERESIS = 0.03;

  private static final double WEIGHT_OF_NEWEST = 1.0 / 32;

  /** Transactions of trials before they are judged: the first ones fetch the pages. */
  private static final int SETTLED = 80;

  /** Farther from the mean than this, as logarithm, counts as if it were as far. */
  private static final double FARTHEST = 1;

  private static final int KEPT = 2048;

  /** A kind is in one of so many places. */
  private static final int NEIGHBOURS = 8;

  /**
   * A kind that so many others have wanted the place of since it was chosen for last, gives way.
   */
  private static final int STAYS_FOR = 16;

  private final AtomicReferenceArray<Kind> kinds = new AtomicReferenceArray<>(KEPT);
  private final ForwardingTrials trials;

  /**
   * @param trials which are told what they have saved
   */
  ForwardingGain(ForwardingTrials trials) {
    this.trials = trials;
  }

  /** What is done with a transaction that belongs to another node. */
  enum Choice {
    FORWARD,
    /** It runs here, to be compared with those that are forwarded. */
    COMPARE,
    /** It runs here since forwarding its like does not pay. */
    STAY,
    /** Its like stay, and it is forwarded to be compared. */
    TRY,
    /** The same, and for a while so are its like, those of other nodes' clients among them. */
    TOGETHER,
    /** Its like go, and for a while they all stay. */
    STAY_TOGETHER;

    boolean isForwarded() {
      return this == FORWARD || this == TRY || this == TOGETHER;
    }
  }

  /** Under its own lock. */
  private static final class Kind {
    private final long id;
    private Mean forwarded = new Mean();
    private Mean together = new Mean(); // forwarded in trials
    private Mean stayed = new Mean();
    private Mean stayedTogether = new Mean(); // in trials
    private boolean pays;
    private int wanted; // its place, by others, since its last choice

    Kind(long id, boolean pays) {
      this.id = id;
      this.pays = pays;
    }

    synchronized Choice choose(int lot, Trial trial) {
      wanted = 0;
      if (trial == Trial.GO && !pays) {
        return Choice.TOGETHER;
      }
      if (trial == Trial.STAY && pays) {
        return Choice.STAY_TOGETHER;
      }
      boolean isSample = Math.floorMod(lot, isKnown() ? ONE_IN : ONE_IN_AT_FIRST) == 0;
      if (pays) {
        return isSample ? Choice.COMPARE : Choice.FORWARD;
      }
      return isSample ? Choice.TRY : Choice.STAY;
    }

    /** Whether it gives its place to another kind. */
    synchronized boolean givesWay() {
      return ++wanted > STAYS_FOR;
    }

    private boolean isKnown() {
      return forwarded.isKnown() && stayed.isKnown();
    }

    /** Whether it pays. */
    synchronized boolean took(Choice choice, long nanos) {
      double time = Math.log(Math.max(1, nanos));
      if (choice == Choice.TOGETHER && !pays) {
        together.add(time);
        if (together.isSettled()
            && stayed.isKnown()
            && saves(stayed, together, WORTH_IT + HYSTERESIS)) {
          pays = true;
          forwarded = together; // of those that went alone nothing is learned of what follows
          together = new Mean();
        }
        return pays;
      }
      if (choice == Choice.STAY_TOGETHER && pays) {
        stayedTogether.add(time);
        if (stayedTogether.isSettled()
            && forwarded.isKnown()
            && !saves(stayedTogether, forwarded, WORTH_IT - HYSTERESIS)) {
          pays = false;
          stayed = stayedTogether; // those that stayed alone had to fetch what the others have
          stayedTogether = new Mean();
        }
        return pays;
      }
      (choice.isForwarded() ? forwarded : stayed).add(time);
      if (isKnown()) {
        pays = saves(stayed, forwarded, pays ? WORTH_IT - HYSTERESIS : WORTH_IT + HYSTERESIS);
      }
      return pays;
    }

    private static boolean saves(Mean here, Mean there, double least) {
      return here.mean - there.mean > least;
    }
  }

  private static final class Mean {
    private final double[] first = new double[ENOUGH];
    private int count; // up to SETTLED
    private double mean;

    boolean isKnown() {
      return count >= ENOUGH;
    }

    /** Whether it does not depend on the first ones any more. */
    boolean isSettled() {
      return count >= SETTLED;
    }

    void add(double value) {
      if (count < ENOUGH) {
        first[count++] = value;
        if (count == ENOUGH) {
          Arrays.sort(first);
          mean = first[ENOUGH / 2]; // of a few the median: the first may be far out
        }
      } else {
        mean += Math.clamp(value - mean, -FARTHEST, FARTHEST) * WEIGHT_OF_NEWEST;
        count = Math.min(count + 1, SETTLED);
      }
    }
  }

  /**
   * A kind of transactions, which are compared with each other.
   *
   * @param template of the first statement; 0 = not known
   * @param lead how clearly another node is better
   * @return 0 when the template is not known
   */
  static long kind(long template, int lead) {
    return template == 0 ? 0 : template + lead * 0xD1B54A32D192ED03L | 1;
  }

  /**
   * What to do with a transaction that belongs to another node.
   *
   * @param kind 0 = not known, and always forwarded
   * @param pays whether it is taken to pay before that is known
   * @param lot any number, drawn at random
   * @param trial what takes place now with all that belong to that node, on all nodes
   */
  Choice choose(long kind, boolean pays, int lot, Trial trial) {
    if (kind == 0) {
      return Choice.FORWARD;
    }
    Kind found = find(kind);
    if (found == null) {
      found = add(kind, pays);
    }
    if (found == null) {
      return pays ? Choice.FORWARD : Choice.STAY;
    }
    return found.choose(lot, trial);
  }

  private Kind find(long kind) {
    int home = place(kind);
    for (int i = 0; i < NEIGHBOURS; i++) {
      Kind there = kinds.getAcquire((home + i) & (KEPT - 1));
      if (there != null && there.id == kind) {
        return there;
      }
    }
    return null;
  }

  /** Null when all its places are taken by kinds that are in use. */
  private Kind add(long kind, boolean pays) {
    int home = place(kind);
    for (int i = 0; i < NEIGHBOURS; i++) {
      int place = (home + i) & (KEPT - 1);
      Kind there = kinds.getAcquire(place);
      if (there == null || there.givesWay()) {
        Kind added = new Kind(kind, pays);
        kinds.setRelease(place, added);
        return added;
      }
    }
    return null;
  }

  /**
   * A transaction that belonged to another node is over.
   *
   * @param choice what was done with it
   * @param nanos that its client has waited for answers
   */
  void took(long kind, Choice choice, long nanos) {
    Kind found = find(kind);
    boolean pays = found != null && found.took(choice, nanos);
    if (choice == Choice.TOGETHER) {
      trials.took(pays);
    } else if (choice == Choice.STAY_TOGETHER) {
      trials.tookStaying(found != null && !pays);
    }
  }

  static int place(long kind) {
    return (int) ((kind * 0x9E3779B97F4A7C15L) >>> 40) & (KEPT - 1);
  }
}
