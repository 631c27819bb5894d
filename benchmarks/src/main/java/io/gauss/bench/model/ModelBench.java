package io.gauss.bench.model;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The model for users: calibrates it, checks it against measured runs, and lets it predict. */
public final class ModelBench {
  private final Calibration calibration;
  private final PrintWriter out;

  private ModelBench(Calibration calibration, PrintWriter out) {
    this.calibration = calibration;
    this.out = out;
  }

  /**
   * With a calibration.
   *
   * @param file null for the one that comes with Gauss
   * @throws IOException when it cannot be read
   */
  public static ModelBench with(Path file, PrintWriter out) throws IOException {
    return new ModelBench(file == null ? Calibration.committed() : Calibration.read(file), out);
  }

  /**
   * With one that is fitted to the results in directories.
   *
   * @param quiet with results of a machine that did nothing else
   * @param shared with those of one that others used
   * @param idleMs processor time of an idle compute, memory and storage node, ms a second
   * @param file where it is written
   * @throws IOException when a result cannot be read, or has no costs
   * @throws IllegalArgumentException when there are no results, or the accesses of one of the loads
   *     are not known
   */
  public static ModelBench fitted(
      List<Path> quiet, List<Path> shared, List<Double> idleMs, Path file, PrintWriter out)
      throws IOException {
    if (idleMs.size() != Tier.values().length) {
      throw new IllegalArgumentException(
          "three figures of idle nodes are needed: of compute, memory and storage nodes");
    }
    Map<Tier, Double> idle = new EnumMap<>(Tier.class);
    for (Tier tier : Tier.values()) {
      idle.put(tier, idleMs.get(tier.ordinal()));
    }
    Calibration fitted = CalibrationFit.of(runs(quiet), runs(shared), idle);
    fitted.write(file);
    return new ModelBench(fitted, out);
  }

  private static List<MeasuredRun> runs(List<Path> directories) throws IOException {
    List<MeasuredRun> runs = new ArrayList<>();
    for (Path directory : directories) {
      runs.addAll(MeasuredRun.all(directory));
    }
    return runs;
  }

  /**
   * Prints measured and predicted figures of results in directories.
   *
   * @param shared whether others used the machine: everything takes more processor time by one
   *     factor, and throughput cannot be predicted
   * @param processors that nodes and clients had to themselves; 0 when that is not known
   * @throws IOException as {@link #fitted}
   * @throws IllegalArgumentException when a load was not calibrated
   */
  public void check(List<Path> directories, boolean shared, double processors) throws IOException {
    out.println("measured / predicted, per transaction:");
    out.println();
    out.print(
        ModelCheck.table(
            shared
                ? ModelCheck.shared(calibration, runs(directories))
                : ModelCheck.quiet(calibration, runs(directories), processors)));
    out.flush();
  }

  /**
   * Prints what larger clusters are predicted to do.
   *
   * @param processors of each machine
   * @param clients of each compute node
   * @param nodes for the table of parts and that of sensitivities
   * @param pictures directory for SVG files; null = none
   */
  public void predict(double processors, int clients, int nodes, Path pictures) throws IOException {
    ScalingReport report = new ScalingReport(calibration, processors, clients);
    out.printf("transactions a second by compute nodes (response; what is busiest):%n%n");
    out.println(report.table());
    out.printf("processor time of a transaction on %d compute nodes, ms:%n%n", nodes);
    out.println(report.parts(nodes));
    out.printf("more throughput on %d compute nodes with a parameter halved:%n%n", nodes);
    out.println(report.sensitivity(nodes));
    out.flush();
    if (pictures != null) {
      Files.createDirectories(pictures);
      for (Map.Entry<String, String> picture : report.pictures().entrySet()) {
        Files.writeString(pictures.resolve(picture.getKey()), picture.getValue());
      }
    }
  }
}
