package io.gauss.bench.model;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What operations cost, from measured runs: for each role the non-negative processor times of its
 * operations with which the runs' costs come out best, by relative errors. Each load has its own
 * work at the compute nodes, so it needs a run with one compute node, and the operations need runs
 * of several loads and numbers of nodes.
 */
final class CalibrationFit {
  private static final List<Operation> WITH_MESSAGES =
      List.of(Operation.TRANSFER, Operation.APPEND, Operation.PAGE_READ, Operation.NODE_SECOND);
  private static final double FEW = 0.05;
  private static final double MS = 1000;

  private final List<MeasuredRun> runs;
  private final List<String> loads;

  private CalibrationFit(List<MeasuredRun> runs) {
    this.runs = runs;
    loads = List.copyOf(new TreeSet<>(runs.stream().map(MeasuredRun::load).toList()));
  }

  /**
   * Fits.
   *
   * @throws IllegalArgumentException when there are no runs, or a load is not known
   */
  static Calibration of(List<MeasuredRun> runs) {
    if (runs.isEmpty()) {
      throw new IllegalArgumentException("there are no results");
    }
    return new CalibrationFit(runs).fit();
  }

  private Calibration fit() {
    Map<Tier, Map<Operation, Double>> cpu = new EnumMap<>(Tier.class);
    double[] computeMs = new double[loads.size()];
    for (Tier tier : Tier.values()) {
      double[] solution = cpu(tier);
      Map<Operation, Double> costs = new EnumMap<>(Operation.class);
      for (int i = 0; i < tier.operations().size(); i++) {
        costs.put(tier.operations().get(i), solution[i]);
      }
      cpu.put(tier, costs);
      if (tier == Tier.COMPUTE) {
        System.arraycopy(solution, tier.operations().size(), computeMs, 0, loads.size());
      }
    }
    Map<String, Calibration.OwnCosts> own = new TreeMap<>();
    for (int i = 0; i < loads.size(); i++) {
      String load = loads.get(i);
      own.put(
          load,
          new Calibration.OwnCosts(
              computeMs[i],
              ofLoad(load).stream().mapToDouble(MeasuredRun::clientMs).average().orElseThrow(),
              transferFactor(load)));
    }
    Calibration without = new Calibration(cpu, own, messages(), 0);
    return new Calibration(cpu, own, without.messages(), appendsPerTransfer(without));
  }

  private List<MeasuredRun> ofLoad(String load) {
    return runs.stream().filter(run -> run.load().equals(load)).toList();
  }

  /** Of a role's operations, and for compute nodes of the loads' own work behind them. */
  private double[] cpu(Tier tier) {
    List<Operation> operations = tier.operations();
    int own = tier == Tier.COMPUTE ? loads.size() : 0;
    double[][] rows = new double[runs.size()][operations.size() + own];
    double[] ones = new double[runs.size()];
    for (int r = 0; r < runs.size(); r++) {
      MeasuredRun run = runs.get(r);
      double measured = run.cpuMs().get(tier);
      for (int i = 0; i < operations.size(); i++) {
        rows[r][i] = run.count(operations.get(i), tier) / measured;
      }
      if (own > 0) {
        rows[r][operations.size() + loads.indexOf(run.load())] = 1 / measured;
      }
      ones[r] = 1;
    }
    return NonNegativeLeastSquares.solve(rows, ones);
  }

  private Map<Operation, Double> messages() {
    double[][] rows = new double[runs.size()][WITH_MESSAGES.size()];
    double[] ones = new double[runs.size()];
    for (int r = 0; r < runs.size(); r++) {
      MeasuredRun run = runs.get(r);
      double measured = run.messages() - run.clockMessages();
      for (int i = 0; i < WITH_MESSAGES.size(); i++) {
        Operation operation = WITH_MESSAGES.get(i);
        double count =
            operation == Operation.NODE_SECOND
                ? run.nodes().values().stream().mapToInt(Integer::intValue).sum()
                    / run.transactionsPerSecond()
                : run.count(operation, Tier.COMPUTE);
        rows[r][i] = count / measured;
      }
      ones[r] = 1;
    }
    double[] solution = NonNegativeLeastSquares.solve(rows, ones);
    Map<Operation, Double> messages = new EnumMap<>(Operation.class);
    for (int i = 0; i < WITH_MESSAGES.size(); i++) {
      messages.put(WITH_MESSAGES.get(i), solution[i]);
    }
    return messages;
  }

  /** Measured transfers divided by what accesses tell; 1 when no run has any to speak of. */
  private double transferFactor(String load) {
    double measured = 0;
    double expected = 0;
    for (MeasuredRun run : ofLoad(load)) {
      double transfers =
          MeasuredCluster.load(run).transfers(run.computeNodes(), Math.min(1, run.forwarded()));
      if (transfers > FEW) {
        measured += run.transfers();
        expected += transfers;
      }
    }
    return expected == 0 ? 1 : measured / expected;
  }

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
