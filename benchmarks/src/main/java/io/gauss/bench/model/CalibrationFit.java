package io.gauss.bench.model;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What operations cost, from measured runs, by non-negative least squares of relative errors:
 *
 * <ol>
 *   <li>How many messages each role sends for an operation. That can be counted on a machine that
 *       others use, too.
 *   <li>Processor time. That of compute and memory nodes goes with the messages that they send, so
 *       one cost for a message tells what each operation costs, also of those that always come
 *       together; each load has its own work besides. That of storage nodes is for appends and
 *       pages, since most of their messages are Raft's. What an idle node needs is given: on a
 *       machine whose processors are all busy, costs are dear where throughput is low, so that the
 *       two cannot be told apart.
 * </ol>
 *
 * <p>Where others used the machine, caches and compilers were disturbed, and everything took more
 * processor time: by the factor with which those runs fit best beside the quiet ones.
 */
final class CalibrationFit {
  private static final double FEW = 0.05;
  private static final double MS = 1000;
  private static final double MOST_SHARED = 8;
  private static final double STEP = 0.01;

  private record Fit(Map<Tier, double[]> solutions, double error) {}

  private final List<MeasuredRun> quiet;
  private final List<MeasuredRun> shared;
  private final List<MeasuredRun> runs;
  private final Map<Tier, Double> idleMs;
  private final List<String> loads;
  private final Map<Tier, Map<Operation, Double>> messages = new EnumMap<>(Tier.class);

  private CalibrationFit(
      List<MeasuredRun> quiet, List<MeasuredRun> shared, Map<Tier, Double> idleMs) {
    this.idleMs = idleMs;
    this.quiet = quiet;
    this.shared = shared;
    runs = Stream.concat(quiet.stream(), shared.stream()).toList();
    loads = List.copyOf(new TreeSet<>(runs.stream().map(MeasuredRun::load).toList()));
  }

  /**
   * Fits.
   *
   * @param quiet runs that had the machine to themselves
   * @param shared runs beside which others used it
   * @param idleMs processor time of a node without clients, ms a second
   * @throws IllegalArgumentException when there are no quiet runs, or a load is not known
   */
  static Calibration of(
      List<MeasuredRun> quiet, List<MeasuredRun> shared, Map<Tier, Double> idleMs) {
    if (quiet.isEmpty()) {
      throw new IllegalArgumentException("there are no results");
    }
    return new CalibrationFit(quiet, shared, idleMs).fit();
  }

  private Calibration fit() {
    for (Tier tier : Tier.values()) {
      messages.put(tier, messages(tier));
    }
    double factor = 1;
    Fit best = cpu(factor);
    if (!shared.isEmpty()) {
      for (double other = 1; other < MOST_SHARED; other += STEP) {
        Fit fit = cpu(other);
        if (fit.error() < best.error()) {
          factor = other;
          best = fit;
        }
      }
    }
    Map<Tier, Map<Operation, Double>> cpu = new EnumMap<>(Tier.class);
    for (Tier tier : Tier.values()) {
      cpu.put(tier, costs(tier, best.solutions().get(tier)));
    }
    Map<String, Calibration.OwnCosts> own = own(best.solutions().get(Tier.COMPUTE));
    Calibration without = new Calibration(cpu, own, messages, 0, factor);
    return new Calibration(cpu, own, messages, appendsPerTransfer(without), factor);
  }

  // ---------------------------------------------------------------- messages

  /** Those of which the protocol says how many there are. */
  private static double sent(Operation operation) {
    return switch (operation) {
      case APPEND, CLOCK_MESSAGE, PAGE_READ -> 1;
      case TRANSFER, SHARED_COMMIT, NODE_SECOND -> 0;
    };
  }

  private Map<Operation, Double> messages(Tier tier) {
    List<Operation> unknown =
        tier.operations().stream()
            .filter(operation -> tier != Tier.COMPUTE || sent(operation) == 0)
            .toList();
    double[][] rows = new double[runs.size()][unknown.size()];
    double[] ones = new double[runs.size()];
    for (int r = 0; r < runs.size(); r++) {
      MeasuredRun run = runs.get(r);
      double rest = run.messages().get(tier);
      if (tier == Tier.COMPUTE) {
        for (Operation operation : tier.operations()) {
          rest -= sent(operation) * run.count(operation, tier);
        }
      }
      // Where next to nothing is left, its relative error says nothing.
      double scale = Math.max(1, Math.abs(rest));
      for (int i = 0; i < unknown.size(); i++) {
        rows[r][i] = run.count(unknown.get(i), tier) / scale;
      }
      ones[r] = rest / scale;
    }
    double[] solution = NonNegativeLeastSquares.solve(rows, ones);
    Map<Operation, Double> found = new EnumMap<>(Operation.class);
    for (Operation operation : tier.operations()) {
      int i = unknown.indexOf(operation);
      found.put(operation, i < 0 ? sent(operation) : solution[i]);
    }
    return found;
  }

  // ---------------------------------------------------------------- processor time

  private double idle(Tier tier) {
    return idleMs.get(tier);
  }

  private static boolean byMessage(Tier tier) {
    return tier != Tier.STORAGE;
  }

  /** Counts of a run: of messages and seconds, or of operations. */
  private double[] counts(MeasuredRun run, Tier tier) {
    List<Operation> operations =
        tier.operations().stream().filter(each -> each != Operation.NODE_SECOND).toList();
    if (!byMessage(tier)) {
      return operations.stream().mapToDouble(each -> run.count(each, tier)).toArray();
    }
    double sent = 0;
    for (Operation operation : operations) {
      sent += messages.get(tier).get(operation) * run.count(operation, tier);
    }
    return new double[] {sent};
  }

  private Fit cpu(double factor) {
    Map<Tier, double[]> solutions = new EnumMap<>(Tier.class);
    double error = 0;
    for (Tier tier : Tier.values()) {
      List<double[]> rows = new ArrayList<>();
      for (MeasuredRun run : runs) {
        rows.add(row(run, tier, run.cpuMs().get(tier) / (shared.contains(run) ? factor : 1)));
      }
      double[] rest = new double[rows.size()];
      for (int r = 0; r < rest.length; r++) {
        MeasuredRun run = runs.get(r);
        double measured = run.cpuMs().get(tier) / (shared.contains(run) ? factor : 1);
        rest[r] = 1 - idle(tier) * run.count(Operation.NODE_SECOND, tier) / measured;
      }
      double[] solution = NonNegativeLeastSquares.solve(rows.toArray(double[][]::new), rest);
      for (int r = 0; r < rest.length; r++) {
        double predicted = 0;
        for (int i = 0; i < solution.length; i++) {
          predicted += rows.get(r)[i] * solution[i];
        }
        error += (predicted - rest[r]) * (predicted - rest[r]);
      }
      solutions.put(tier, solution);
    }
    return new Fit(solutions, error);
  }

  /** Counts, and at compute nodes the load's own work behind them, by the measured cost. */
  private double[] row(MeasuredRun run, Tier tier, double measured) {
    double[] counts = counts(run, tier);
    double[] row = new double[counts.length + (tier == Tier.COMPUTE ? loads.size() : 0)];
    for (int i = 0; i < counts.length; i++) {
      row[i] = counts[i] / measured;
    }
    if (tier == Tier.COMPUTE) {
      row[counts.length + loads.indexOf(run.load())] = 1 / measured;
    }
    return row;
  }

  private Map<Operation, Double> costs(Tier tier, double[] solution) {
    Map<Operation, Double> costs = new EnumMap<>(Operation.class);
    for (int i = 0; i < tier.operations().size(); i++) {
      Operation operation = tier.operations().get(i);
      if (operation == Operation.NODE_SECOND) {
        costs.put(operation, idle(tier));
      } else if (!byMessage(tier)) {
        costs.put(operation, solution[i]);
      } else {
        costs.put(operation, solution[0] * messages.get(tier).get(operation));
      }
    }
    return costs;
  }

  // ---------------------------------------------------------------- loads

  private Map<String, Calibration.OwnCosts> own(double[] compute) {
    Map<String, Calibration.OwnCosts> own = new TreeMap<>();
    int others = compute.length - loads.size();
    for (int i = 0; i < loads.size(); i++) {
      String load = loads.get(i);
      List<MeasuredRun> best = ofLoad(load);
      double client = best.stream().mapToDouble(MeasuredRun::clientMs).average().orElseThrow();
      own.put(load, new Calibration.OwnCosts(compute[others + i], client, transferFactor(best)));
    }
    return own;
  }

  /** The quiet ones if there are any. */
  private List<MeasuredRun> ofLoad(String load) {
    return Stream.of(quiet, shared)
        .map(some -> some.stream().filter(run -> run.load().equals(load)).toList())
        .filter(some -> !some.isEmpty())
        .findFirst()
        .orElseThrow();
  }

  /** Measured transfers divided by what accesses tell; 1 when no run has any to speak of. */
  private static double transferFactor(List<MeasuredRun> ofLoad) {
    double measured = 0;
    double expected = 0;
    for (MeasuredRun run : ofLoad) {
      double transfers =
          MeasuredCluster.load(run).transfers(run.computeNodes(), Math.min(1, run.forwarded()));
      if (transfers > FEW) {
        measured += run.transfers();
        expected += transfers;
      }
    }
    return expected == 0 ? 1 : measured / expected;
  }

  // ---------------------------------------------------------------- appends

  /** How much longer a transaction took than the processor time that it needed. */
  private static double stretch(MeasuredRun run) {
    double response = run.clients() * MS / run.transactionsPerSecond();
    return Math.max(1, response / (run.clusterMs() + run.clientMs()));
  }

  /** By what the runs made more appends than their commits explain, for each page that left. */
  private double appendsPerTransfer(Calibration costs) {
    List<double[]> rows = new ArrayList<>();
    List<Double> more = new ArrayList<>();
    for (MeasuredRun run : runs) {
      ClusterModel model = MeasuredCluster.model(costs, run, 1);
      double nodeRate = run.transactionsPerSecond() / run.computeNodes();
      OptionalDouble requests =
          ClusterModel.requests(run.appends() * nodeRate, model.appendMs(stretch(run)) / MS);
      if (requests.isPresent() && run.transfers() > FEW) {
        rows.add(new double[] {run.transfers()});
        more.add(requests.getAsDouble() / nodeRate - MeasuredCluster.load(run).writing());
      }
    }
    return rows.isEmpty()
        ? 0
        : NonNegativeLeastSquares.solve(
            rows.toArray(double[][]::new),
            more.stream().mapToDouble(Double::doubleValue).toArray())[0];
  }
}
