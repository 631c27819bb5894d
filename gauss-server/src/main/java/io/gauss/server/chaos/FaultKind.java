package io.gauss.server.chaos;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What can happen to a cluster, and how soon it has to go on. The bounds stand in docs/chaos.md, of
 * which a test makes sure; they are for three compute, two memory and three storage nodes on a
 * machine of two cores.
 */
public enum FaultKind {
  KILL_COMPUTE(8, 30, "a compute node is killed, and started again 3 s later"),
  KILL_MEMORY(5, 10, "a memory node is killed, and started again 3 s later"),
  KILL_STORAGE(8, 10, "a storage node is killed, and started again 3 s later"),
  PAUSE_COMPUTE(3, 8, "a compute node stands still for 1 s: longer than the clock lease"),
  PAUSE_COMPUTE_LONG(8, 30, "... for 6 s: it loses its place in the cluster"),
  PAUSE_MEMORY(4, 8, "a memory node stands still for 1 s"),
  PAUSE_MEMORY_LONG(9, 15, "... for 6 s: it loses its place in the cluster"),
  PAUSE_STORAGE(5, 8, "a storage node stands still for 1 s"),
  PAUSE_STORAGE_LONG(9, 12, "... for 6 s: the streams that it led get other leaders"),
  CUT_ONE_WAY(8, 15, "nothing gets from one compute node to another one for 2 s"),
  CUT_COMPUTES(8, 15, "nothing gets from one compute node to another one or back for 1.8 s"),
  CUT_COMPUTES_LONG(12, 30, "... for 8 s: one of them is suspended or removed"),
  CUT_MEMORY(12, 20, "a compute node and a memory node do not reach each other for 4 s"),
  CUT_STORAGE(10, 20, "a compute node and a storage node do not reach each other for 4 s"),
  CUT_STORAGE_PEERS(10, 15, "two storage nodes do not reach each other for 4 s"),
  ISOLATE_COMPUTE(10, 30, "a compute node reaches no other node for 6 s"),
  ISOLATE_STORAGE(10, 15, "a storage node reaches no other node for 6 s"),
  TWO(25, 60, "two of the faults above at the same time"),
  THREE(30, 60, "three of them"),
  RETURN_AT_ONCE(
      12, 40, "a compute node is killed and started at once, while another one stands still"),
  RESTART_IN_RECOVERY(
      12, 40, "a compute node is killed, started, and killed again while it recovers"),
  KILL_ALL_MEMORY(20, 20, "all memory nodes are killed, and started again 2 s later"),
  KILL_MAJORITY(25, 20, "all storage nodes but one are killed, and started again 4 s later"),
  NO_MEMORY(40, 20, "all memory nodes are dead for 15 s, longer than statements wait"),
  NO_QUORUM(40, 20, "all storage nodes but one are dead for 15 s"),
  KILL_ALL_STORAGE(30, 30, "all storage nodes are killed, and started again 2 s later"),
  KILL_ALL(0, 90, "all processes are killed and started again"),
  FULL_DISK(8, 15, "the disk of a storage node is full for 6 s"),
  DRAIN_COMPUTE(12, 40, "a compute node is drained, and another one is killed meanwhile"),
  DRAIN_MEMORY(12, 40, "a memory node is drained, and a compute node is killed meanwhile");

  private static final String CLOCK_JUMP = "clock-jump";

  private final int gapSeconds;
  private final int backSeconds;
  private final String text;

  FaultKind(int gapSeconds, int backSeconds, String text) {
    this.gapSeconds = gapSeconds;
    this.backSeconds = backSeconds;
    this.text = text;
  }

  /** The name on the command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** What happens. */
  public String text() {
    return text;
  }

  /**
   * For how many seconds a compute node that nothing happens to may be without a commit; 0 = there
   * is none.
   */
  public int gapSeconds() {
    return gapSeconds;
  }

  /**
   * How many seconds after the fault's end, which includes the start of processes that were killed,
   * every compute node has to have committed.
   */
  public int backSeconds() {
    return backSeconds;
  }

  /** Whether links between nodes have to be cut for it. */
  boolean cuts() {
    return switch (this) {
      case CUT_ONE_WAY,
          CUT_COMPUTES,
          CUT_COMPUTES_LONG,
          CUT_MEMORY,
          CUT_STORAGE,
          CUT_STORAGE_PEERS,
          ISOLATE_COMPUTE,
          ISOLATE_STORAGE ->
          true;
      default -> false;
    };
  }

  /** Whether it may happen together with others. */
  boolean isSimple() {
    return compareTo(TWO) < 0;
  }

  /** Why it cannot happen to a cluster of this shape; empty when it can. */
  Optional<String> missing(Shape shape) {
    boolean isEnough =
        switch (this) {
          case KILL_MEMORY,
              PAUSE_MEMORY,
              PAUSE_MEMORY_LONG,
              KILL_ALL_MEMORY,
              NO_MEMORY,
              CUT_MEMORY,
              KILL_ALL ->
              shape.memory() > 0;
          case DRAIN_MEMORY -> shape.memory() > 1;
          case CUT_ONE_WAY,
              CUT_COMPUTES,
              CUT_COMPUTES_LONG,
              KILL_COMPUTE,
              PAUSE_COMPUTE,
              PAUSE_COMPUTE_LONG,
              ISOLATE_COMPUTE,
              RESTART_IN_RECOVERY ->
              shape.compute() > 1;
          case RETURN_AT_ONCE, DRAIN_COMPUTE, TWO, THREE -> shape.compute() > 2;
          case KILL_STORAGE,
              PAUSE_STORAGE,
              PAUSE_STORAGE_LONG,
              CUT_STORAGE,
              CUT_STORAGE_PEERS,
              ISOLATE_STORAGE,
              KILL_MAJORITY,
              NO_QUORUM,
              FULL_DISK ->
              shape.storage() > 2;
          case KILL_ALL_STORAGE -> true;
        };
    return isEnough
        ? Optional.empty()
        : Optional.of("a cluster of " + shape + " has too few nodes");
  }

  /**
   * Reads names that are separated by commas, or "all".
   *
   * @throws IllegalArgumentException for an unknown name, and for jumps of clocks, which would be
   *     those of everything on the machine
   */
  public static List<FaultKind> parse(String list) {
    if (list.equals("all")) {
      return List.of(values());
    }
    return Arrays.stream(list.split(",", -1)).map(name -> of(name.strip())).toList();
  }

  private static FaultKind of(String name) {
    if (name.equals(CLOCK_JUMP)) {
      throw new IllegalArgumentException(
          "clock-jump is refused: the clock that it would set is that of the whole machine."
              + " WallClockJumpTest gives processes clocks of their own where libfaketime is"
              + " installed");
    }
    return Arrays.stream(values())
        .filter(kind -> kind.label().equals(name))
        .findAny()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    name
                        + " is no fault; there are all, "
                        + Arrays.stream(values())
                            .map(FaultKind::label)
                            .collect(Collectors.joining(", "))));
  }
}
