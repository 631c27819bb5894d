package io.gauss.bench.model;

import java.util.List;
import java.util.Locale;

/** Predictions beside measured runs. */
final class ModelCheck {
  private static final double PERCENT = 100;

  /**
   * A run and its prediction at the throughput that it had.
   *
   * @param factor by which the processor time is higher than predicted, since others used the
   *     machine
   * @param alone throughput as predicted; NaN when it cannot be
   */
  record Line(MeasuredRun run, Prediction prediction, double factor, double alone) {
    double cpuMs(Tier tier) {
      return factor * prediction.cpuMs().get(tier);
    }

    double clusterMs() {
      return factor * prediction.clusterMs();
    }

    /** By how much the cluster's processor time is predicted too high, as a share. */
    double cpuError() {
      return clusterMs() / run.clusterMs() - 1;
    }

    double throughputError() {
      return alone / run.transactionsPerSecond() - 1;
    }
  }

  private ModelCheck() {}

  /**
   * Of runs that had the machine to themselves.
   *
   * @param processors of the machine; 0 when not known
   */
  static List<Line> quiet(Calibration calibration, List<MeasuredRun> runs, double processors) {
    return runs.stream()
        .map(
            run -> {
              ClusterModel model = MeasuredCluster.model(calibration, run, processors);
              return new Line(
                  run,
                  model.at(run.transactionsPerSecond()),
                  1,
                  processors == 0 ? Double.NaN : model.predict().transactionsPerSecond());
            })
        .toList();
  }

  /** Of runs beside which others used the machine. */
  static List<Line> shared(Calibration calibration, List<MeasuredRun> runs) {
    return runs.stream()
        .map(
            run ->
                new Line(
                    run,
                    MeasuredCluster.model(calibration, run, 1).at(run.transactionsPerSecond()),
                    calibration.sharedFactor(),
                    Double.NaN))
        .toList();
  }

  /** As a table in Markdown. */
  static String table(List<Line> lines) {
    StringBuilder text =
        new StringBuilder(
            "| run | compute nodes | transactions/s | transfers | appends | messages | CPU of"
                + " compute, memory, storage nodes, ms | CPU of the cluster, ms |\n"
                + "|---|---|---|---|---|---|---|---|\n");
    for (Line line : lines) {
      MeasuredRun run = line.run();
      Prediction predicted = line.prediction();
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %d | %.0f%s | %s | %s | %s | %s, %s, %s | %s (%+.0f %%) |%n",
              run.name(),
              run.computeNodes(),
              run.transactionsPerSecond(),
              Double.isNaN(line.alone())
                  ? ""
                  : String.format(
                      Locale.ROOT,
                      " / %.0f (%+.0f %%)",
                      line.alone(),
                      PERCENT * line.throughputError()),
              pair(run.transfers(), predicted.counts().transfers()),
              pair(run.appends(), predicted.counts().appends()),
              pair(run.clusterMessages(), predicted.messages()),
              pair(run.cpuMs().get(Tier.COMPUTE), line.cpuMs(Tier.COMPUTE)),
              pair(run.cpuMs().get(Tier.MEMORY), line.cpuMs(Tier.MEMORY)),
              pair(run.cpuMs().get(Tier.STORAGE), line.cpuMs(Tier.STORAGE)),
              pair(run.clusterMs(), line.clusterMs()),
              PERCENT * line.cpuError()));
    }
    return text.toString();
  }

  private static String pair(double measured, double predicted) {
    return String.format(Locale.ROOT, "%.2f / %.2f", measured, predicted);
  }
}
