package io.gauss.simulation.cluster;

import io.gauss.simulation.cluster.FaultPlan.Fault;
import io.gauss.simulation.cluster.FaultPlan.Kind;
import io.gauss.simulation.cluster.SimulatedCluster.Size;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Scenarios that were made for a known kind of defect: nothing but the work that shows it, and the
 * faults that it takes, again and again. Which of them were seen to fail with the mend taken out of
 * the product, and which not yet, is said in docs/testing.md.
 */
enum Plans {
  /** Rule 38: a node ends soon after it has told a value of a sequence. */
  VALUES(Map.of(), () -> List.of(new SequenceWork()), killedSoon(8)),

  /** Keys change while others change the rows; nothing else happens. */
  MOVED_ROWS(Map.of(), () -> List.of(new MovedRowsWork()), List.of()),

  /** Rule 39: a node is lost that has somebody else's session. */
  OUTCOMES(Map.of(), () -> List.of(new OutcomesWork()), killedSoon(8)),

  /**
   * Rule 33: homes are lost while pages move, are written and given back, and page stores have them
   * as they were before.
   */
  HOMES(
      Map.of("pages.rights", "per-transaction"),
      () -> List.of(new CountersWork(6, 3)),
      every(1_500, 6, Kind.HOME_LOST, 0, 0, 400)),

  /** Rule 17: a node ends that has just got a page, which page stores have as it was before. */
  TAKERS(
      Map.of(),
      () -> List.of(new CountersWork(6, 8)),
      join(
          List.of(fault(0, Kind.PAGES_BEHIND, 0, 0, 8_000)),
          when(MessageSort.CONFIRM, every(1_000, 6, Kind.KILL, 2, 0, 100)))),

  /** Rule 35: a node is back before others have heard that it had gone. */
  VERSIONS(
      Map.of(),
      () -> List.of(new DefinitionsWork(3)),
      join(
          every(1_200, 4, Kind.QUICK_RETURN, 1, 3, 1_200),
          every(1_200, 4, Kind.KILL_ANSWERED, 2, 0, 1))),

  /** Rule 34: a node is back before its recoverer has heard that it is done. */
  RECOVERERS(
      Map.of(),
      () -> List.of(new CountersWork(6, 4)),
      join(every(2_000, 4, Kind.KILL_ANSWERED, 3, 0, 20), join(unheard(1), unheard(2)))),

  /** Rule 4 for rollbacks: a node ends that has just told another one of a rollback. */
  ROLLBACKS(
      Map.of(),
      () -> List.of(new RollbacksWork(6)),
      join(toldOfRollbacks(1), join(toldOfRollbacks(2), toldOfRollbacks(3)))),

  /**
   * The same for recoveries: a recoverer ends that has just reported that it is done, before the
   * dead node is back.
   */
  DONE(
      Map.of(),
      () -> List.of(new RollbacksWork(6)),
      join(every(4_500, 3, Kind.KILL, 3, 0, 3_000), join(done(1), done(2)))),

  /** Rule 36: the home that is left has no room for all pages, for long. */
  ROOM(
      Map.of(),
      () -> List.of(new CountersWork(3, 300)),
      List.of(fault(500, Kind.KILL, 102, 0, 25_000))),

  /** Law 3: pages arrive damaged. */
  DAMAGED(
      Map.of(),
      () -> List.of(new CountersWork(6, 8)),
      List.of(fault(200, Kind.DAMAGE, 0, 0, 4_000))),

  /** A page stays until it has been used: processors are busy, and threads run late. */
  LATE(
      Map.of(),
      () -> List.of(new CountersWork(6, 8)),
      List.of(fault(0, Kind.RUN_LATE, 0, 0, 60_000))),

  /** Requests for locks arrive when their node is dead. */
  LOCKS(
      Map.of(),
      () -> List.of(new DefinitionsWork(4)),
      join(every(1_000, 5, Kind.SLOW, 2, 0, 400), every(1_000, 5, Kind.KILL_ANSWERED, 2, 0, 50))),

  /** Rule 12: those who have advisory locks are lost, and homes that know them. */
  ADVISORY(
      Map.of(),
      () -> List.of(new AdvisoryWork(6)),
      join(killedSoon(4), every(1_500, 4, Kind.HOME_LOST, 0, 0, 400))),

  /** Rule 42: nodes end between a commit and its notifications. */
  NOTIFICATIONS(Map.of(), () -> List.of(new NotifyWork(8)), killedSoon(8));

  private static final int TURNS = 12;
  private static final int MANY_ENTRIES = 10_000;
  private static final int FEW_ENTRIES = 150;

  private final Map<String, String> settings;
  private final Supplier<List<Workload>> workloads;
  private final List<Fault> faults;

  Plans(Map<String, String> settings, Supplier<List<Workload>> workloads, List<Fault> faults) {
    this.settings = settings;
    this.workloads = workloads;
    this.faults = faults;
  }

  Scenario scenario() {
    int entries = this == ROOM ? FEW_ENTRIES : MANY_ENTRIES;
    return new Scenario(
        new Size(3, 2, 3, 1024, entries), settings, new FaultPlan(faults), 0, TURNS, workloads);
  }

  private static Fault fault(long atMillis, Kind kind, int node, int other, long millis) {
    return new Fault(
        TimeUnit.MILLISECONDS.toNanos(atMillis),
        kind,
        node,
        other,
        TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private static List<Fault> every(
      long millis, int times, Kind kind, int node, int other, long lasting) {
    List<Fault> faults = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      faults.add(fault(100 + i * millis, kind, node, other, lasting));
    }
    return faults;
  }

  private static List<Fault> when(MessageSort sent, List<Fault> faults) {
    return faults.stream().map(fault -> fault.when(sent)).toList();
  }

  /** What the map's nodes tell a node stands still when it has reported that a recovery is over. */
  private static List<Fault> unheard(int node) {
    return when(
        MessageSort.FINISH_RECOVERY,
        every(2_000, 4, Kind.STALL, 0, node, 1_200).stream()
            .map(fault -> fault.of(MessageSort.MAP))
            .toList());
  }

  private static List<Fault> toldOfRollbacks(int node) {
    List<Fault> faults = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      faults.add(fault(300 + (3L * i + node) * 1_000, Kind.KILL, node, 0, 100));
    }
    return when(MessageSort.ROLLED_BACK, faults);
  }

  private static List<Fault> done(int node) {
    return when(MessageSort.FINISH_RECOVERY, every(4_500, 3, Kind.KILL, node, 0, 100));
  }

  /** One compute node after the other. */
  private static List<Fault> killedSoon(int times) {
    List<Fault> faults = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      faults.add(fault(200 + i * 500L, Kind.KILL_ANSWERED, 1 + i % 3, 0, 20));
    }
    return faults;
  }

  private static List<Fault> join(List<Fault> some, List<Fault> others) {
    List<Fault> all = new ArrayList<>(some);
    all.addAll(others);
    all.sort(Comparator.comparingLong(Fault::atNanos));
    return all;
  }
}
