package io.gauss.simulation.cluster;

import io.gauss.common.runtime.Environment;
import io.gauss.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The clients that do the {@link Workload}s of a seed. Only the simulation's threads use it. */
final class Workers {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MAX_REST_MILLIS = 600;

  private final Simulation simulation;
  private final SimulatedCluster cluster;
  private final List<Workload> workloads;
  private final SplittableRandom random;
  private final int turns;
  private final List<String> wrong = new ArrayList<>();
  private int running;

  /**
   * @param turns of each client
   */
  Workers(
      Simulation simulation,
      SimulatedCluster cluster,
      long seed,
      List<Workload> workloads,
      int turns) {
    this.simulation = simulation;
    this.cluster = cluster;
    this.workloads = List.copyOf(workloads);
    this.random = new SplittableRandom(seed * 31 + 17);
    this.turns = turns;
  }

  /** Some of all workloads: a pure function of the seed. */
  static List<Workload> of(long seed, int count) {
    List<Supplier<Workload>> all =
        new ArrayList<>(
            List.of(
                SequenceWork::new,
                () -> new CountersWork(3, 24),
                MovedRowsWork::new,
                () -> new RollbacksWork(3),
                () -> new DefinitionsWork(2),
                OutcomesWork::new,
                LongSnapshotWork::new,
                () -> new AdvisoryWork(3),
                () -> new NotifyWork(4)));
    SplittableRandom random = new SplittableRandom(seed ^ 0x77_6f_72_6b);
    List<Workload> chosen = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      chosen.add(all.remove(random.nextInt(all.size())).get());
    }
    return chosen;
  }

  /** Makes their tables. */
  void tables(ClientConnection connection) {
    workloads.forEach(work -> work.tables().forEach(text -> must(connection, text)));
  }

  /**
   * Runs a query that has to succeed.
   *
   * @throws AssertionError when it does not
   */
  static Answer must(ClientConnection connection, String text) {
    Answer answer = connection.query(text);
    if (!answer.succeeded()) {
      throw new AssertionError(text + ": " + answer);
    }
    return answer;
  }

  void start() {
    for (Workload work : workloads) {
      for (int i = 1; i <= work.clients(); i++) {
        String name = work.getClass().getSimpleName() + "-" + i;
        SplittableRandom own = random.split();
        running++;
        Environment.start(name, () -> run(work, name, own));
      }
    }
  }

  private void run(Workload work, String name, SplittableRandom own) {
    for (int turn = 1; turn <= turns; turn++) {
      Environment.parkNanos(1 + own.nextLong(TimeUnit.MILLISECONDS.toNanos(MAX_REST_MILLIS)));
      int node = 1 + own.nextInt(cluster.computes());
      ClientConnection connection = cluster.connect(node);
      while (connection == null) {
        Environment.parkNanos(RETRY_NANOS);
        connection = cluster.connect(node);
      }
      work.turn(
          new Visit(
              simulation, cluster, name + " turn " + turn, node, connection, own, wrong::add));
      connection.close();
    }
    running--;
  }

  boolean areDone() {
    return running == 0;
  }

  /** Compares what a node has with what they were told. */
  void check(int node, ClientConnection connection) {
    for (Workload work : workloads) {
      work.check(node, connection, what -> wrong.add("node " + node + ": " + what));
    }
  }

  /** What they were told that cannot be. */
  List<String> wrong() {
    return wrong;
  }
}
