package io.gauss.bench.model;

import java.util.List;
import java.util.Locale;

/** Predictions beside measured runs. */
final class ModelCheck {
  private static final double PERCENT = 100;

  /**
   * A run and its prediction at the throughput that it had.
   *
   * @param alone throughput as predicted on so many processors without anybody else; NaN when
   *     others used the machine
   */
  record Line(MeasuredRun run, Prediction prediction, double alone) {
    /** By how much the cluster's processor time is predicted too high, as a share. */
    double cpuError() {
      return prediction.clusterMs() / run.clusterMs() - 1;
    }

    double throughputError() {
      return alone / run.transactionsPerSecond() - 1;
    }
  }

  private ModelCheck() {}

  /**
   * Of runs beside which others used the machine or not.
   *
   * @param processors that the run had to itself, with the clients; 0 when others used them
   */
  static List<Line> lines(Calibration calibration, List<MeasuredRun> runs, double processors) {
    return runs.stream()
        .map(
            run -> {
              ClusterModel model = MeasuredCluster.model(calibration, run, processors);
              return new Line(
                  run,
                  model.at(run.transactionsPerSecond()),
                  processors == 0 ? Double.NaN : model.predict().transactionsPerSecond());
            })
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
              pair(run.messages(), predicted.messages()),
              pair(run.cpuMs().get(Tier.COMPUTE), predicted.cpuMs().get(Tier.COMPUTE)),
              pair(run.cpuMs().get(Tier.MEMORY), predicted.cpuMs().get(Tier.MEMORY)),
              pair(run.cpuMs().get(Tier.STORAGE), predicted.cpuMs().get(Tier.STORAGE)),
              pair(run.clusterMs(), predicted.clusterMs()),
              PERCENT * line.cpuError()));
    }
    return text.toString();
  }

  private static String pair(double measured, double predicted) {
    return String.format(Locale.ROOT, "%.2f / %.2f", measured, predicted);
  }
}
