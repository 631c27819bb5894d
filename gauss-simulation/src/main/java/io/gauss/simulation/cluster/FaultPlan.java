package io.gauss.simulation.cluster;

import io.gauss.simulation.cluster.SimulatedCluster.Size;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * What goes wrong while the clients of one seed run: a pure function of the seed. Faults come in
 * bursts, in which any number of them overlap, with quiet times between them.
 *
 * @param faults in the order of their times
 */
record FaultPlan(List<Fault> faults) {
  private static final int MAX_BURSTS = 3;
  private static final int MAX_TOGETHER = 4;

  /** One fault of so many waits for a message. */
  private static final int AIMED = 4;

  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(6);

  /** What happens. */
  enum Kind {
    /** A process ends without a word, and is started again after a while. */
    KILL,
    /** The same for a storage node; its disk loses what was not forced. */
    LOSE_POWER,
    /** A process stands still for a while, shorter or longer than its lease. */
    PAUSE,
    /** Threads stand still for a moment, at places of the code that tests have names for. */
    STAND_STILL,
    /**
     * Threads that have waited for a page run only a good while after it has come, as where
     * processors are busy: not longer than all have their answers.
     */
    RUN_LATE,
    /** All connections of a node break. */
    DISCONNECT,
    /** Nothing gets from one node to another one. */
    CUT_ONE_WAY,
    /** Two nodes do not reach each other. */
    CUT,
    /** A node reaches no other one. */
    ISOLATE,
    /** Messages from one node take long. */
    SLOW,
    /**
     * A connection from one node to another one stands still from the first message of a sort on,
     * and others between them do not.
     */
    STALL,
    /** Pages of which a node becomes the owner arrive damaged, and those that are given back. */
    DAMAGE,
    /** Logs and disks of the storage tier are slow, late and lossy. */
    UNKIND_STORAGE,
    /** A storage node's disk is full. */
    DISK_FULL,
    /** A force fails on a storage node, which has to start again. */
    IO_ERROR,
    /** A compute or memory node joins that was not there before. */
    ADD,
    /** A compute node ends soon after it has answered a client. */
    KILL_ANSWERED,
    /**
     * A compute node's process ends and is started again at once, while another one is told nothing
     * by the cluster's map.
     */
    QUICK_RETURN,
    /**
     * A memory node ends while pages are on their way from one compute node to another one, and a
     * third one's report to the new homes comes late.
     */
    HOME_LOST,
    /** Page stores apply what they have far behind its commit. */
    PAGES_BEHIND,
    /** A compute or memory node is asked to leave; it comes back. */
    DRAIN
  }

  /**
   * @param atNanos from the time when the clients begin
   * @param node to which it happens
   * @param other the second node of a cut, or of whatever has two; for a stall 0 = each one
   * @param nanos how long it lasts
   * @param what messages of a stall; null for all others
   * @param when it happens as soon as the node, of a stall the other one, has sent such a message;
   *     null = at its time
   */
  record Fault(
      long atNanos,
      Kind kind,
      int node,
      int other,
      long nanos,
      MessageSort what,
      MessageSort when) {
    Fault(long atNanos, Kind kind, int node, int other, long nanos) {
      this(atNanos, kind, node, other, nanos, null, null);
    }

    /** Whose message it waits for. */
    int aimedAt() {
      return kind == Kind.STALL ? other : node;
    }

    /** The same for messages of this sort. */
    Fault of(MessageSort messages) {
      return new Fault(atNanos, kind, node, other, nanos, messages, when);
    }

    /** The same as soon as such a message has been sent. */
    Fault when(MessageSort sent) {
      return new Fault(atNanos, kind, node, other, nanos, what, sent);
    }

    @Override
    public String toString() {
      String where =
          switch (kind) {
            case CUT_ONE_WAY, CUT, QUICK_RETURN, HOME_LOST -> " " + node + " " + other;
            case STALL -> " " + what + " " + node + " " + other;
            case UNKIND_STORAGE, PAGES_BEHIND, DAMAGE, STAND_STILL, RUN_LATE -> "";
            default -> " " + node;
          };
      String time = millis(atNanos) + (when == null ? "" : " when " + when);
      return kind + where + " at " + time + " for " + millis(nanos) + " ms";
    }

    private static long millis(long nanos) {
      return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
  }

  static FaultPlan of(long seed, Size size) {
    SplittableRandom random = new SplittableRandom(seed ^ 0x5deece66dL);
    List<Fault> faults = new ArrayList<>();
    long at = random.nextLong(BURST_NANOS);
    for (int burst = random.nextInt(MAX_BURSTS + 1); burst > 0; burst--) {
      for (int i = 1 + random.nextInt(MAX_TOGETHER); i > 0; i--) {
        faults.add(fault(random, at + random.nextLong(BURST_NANOS), size));
      }
      at += BURST_NANOS + random.nextLong(QUIET_NANOS);
    }
    faults.sort(Comparator.comparingLong(Fault::atNanos));
    return new FaultPlan(List.copyOf(faults));
  }

  private static Fault fault(SplittableRandom random, long at, Size size) {
    Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
    int node =
        switch (kind) {
          case LOSE_POWER, DISK_FULL, IO_ERROR -> storage(random, size);
          case ADD ->
              random.nextBoolean()
                  ? size.computes() + 1
                  : SimulatedCluster.FIRST_MEMORY + size.memories();
          case KILL_ANSWERED, QUICK_RETURN -> compute(random, size);
          case HOME_LOST -> memory(random, size);
          case DRAIN -> random.nextBoolean() ? compute(random, size) : memory(random, size);
          default -> any(random, size);
        };
    int other =
        switch (kind) {
          case QUICK_RETURN -> 1 + (node + random.nextInt(size.computes() - 1)) % size.computes();
          case HOME_LOST -> compute(random, size);
          default -> any(random, size);
        };
    MessageSort what = kind == Kind.STALL ? sort(random) : null;
    MessageSort when = random.nextInt(AIMED) == 0 ? sort(random) : null;
    return new Fault(at, kind, node, other, duration(random), what, when);
  }

  private static MessageSort sort(SplittableRandom random) {
    return MessageSort.values()[random.nextInt(MessageSort.values().length)];
  }

  /** Mostly shorter than a lease, and now and then longer. */
  private static long duration(SplittableRandom random) {
    long max = random.nextInt(4) == 0 ? 5_000 : random.nextInt(2) == 0 ? 1_000 : 100;
    return TimeUnit.MILLISECONDS.toNanos(1 + random.nextLong(max));
  }

  private static int any(SplittableRandom random, Size size) {
    int node = random.nextInt(size.computes() + size.memories() + size.storages());
    if (node < size.computes()) {
      return 1 + node;
    }
    node -= size.computes();
    return node < size.memories()
        ? SimulatedCluster.FIRST_MEMORY + node
        : SimulatedCluster.FIRST_STORAGE + node - size.memories();
  }

  private static int compute(SplittableRandom random, Size size) {
    return 1 + random.nextInt(size.computes());
  }

  private static int memory(SplittableRandom random, Size size) {
    return SimulatedCluster.FIRST_MEMORY + random.nextInt(size.memories());
  }

  private static int storage(SplittableRandom random, Size size) {
    return SimulatedCluster.FIRST_STORAGE + random.nextInt(size.storages());
  }

  /** Without one of its faults. */
  FaultPlan without(int index) {
    List<Fault> left = new ArrayList<>(faults);
    left.remove(index);
    return new FaultPlan(List.copyOf(left));
  }
}
