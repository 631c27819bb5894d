package io.gauss.bench.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;

/** What a calibration says about clusters that nobody has measured: tables and pictures. */
final class ScalingReport {
  private static final List<Integer> NODES = List.of(1, 2, 4, 8, 16, 32, 64);
  private static final List<Double> REMOTE = List.of(0.0, 0.05, Loads.TPCC_REMOTE, 0.2);
  private static final int RECORDS = 10_000_000;
  private static final double PERCENT = 100;

  private final Calibration calibration;
  private final double processors;
  private final int clients;

  /**
   * @param processors of each machine
   * @param clients of each compute node
   */
  ScalingReport(Calibration calibration, double processors, int clients) {
    this.calibration = calibration;
    this.processors = processors;
    this.clients = clients;
  }

  private Prediction on(Load load, int nodes) {
    return ClusterModel.predict(calibration, load, Cluster.ofMachines(nodes, processors, clients));
  }

  /** Those whose own work was measured. */
  private List<Load> loads() {
    List<Load> loads = new ArrayList<>();
    REMOTE.forEach(remote -> loads.add(Loads.tpcc(remote)));
    loads.add(Loads.tpcc(Loads.TPCC_REMOTE).spreadOut());
    loads.add(Loads.ycsbA(RECORDS));
    loads.add(Loads.hotRows(1));
    loads.add(Loads.hotRows(64));
    loads.removeIf(load -> !calibration.loads().containsKey(load.measuredAs()));
    if (loads.isEmpty()) {
      throw new IllegalArgumentException("none of tpcc, tpcb and ycsb-a was measured");
    }
    return loads;
  }

  /** Throughput, response and what is busiest, for each load and number of nodes. */
  String table() {
    StringBuilder text = new StringBuilder("| load |");
    NODES.forEach(nodes -> text.append(" %d |".formatted(nodes)));
    text.append("\n|---|").append("---|".repeat(NODES.size())).append('\n');
    for (Load load : loads()) {
      text.append("| ").append(load.name()).append(" |");
      for (int nodes : NODES) {
        Prediction prediction = on(load, nodes);
        Station busiest = prediction.bottleneck();
        text.append(
            String.format(
                Locale.ROOT,
                " %,.0f (%.1f ms; %s %.0f %%) |",
                prediction.transactionsPerSecond(),
                prediction.responseMs(),
                busiest.name(),
                PERCENT * busiest.utilisation(prediction.transactionsPerSecond())));
      }
      text.append('\n');
    }
    return text.toString();
  }

  /** Processor time of a transaction, by what it is for. */
  String parts(int nodes) {
    StringBuilder text =
        new StringBuilder(
            "| load | own work | transfers | appends | clocks | commits that others see |"
                + " background | together, ms | transfers | appends | messages about clocks |\n"
                + "|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (Load load : loads()) {
      Prediction prediction = on(load, nodes);
      Counts counts = prediction.counts();
      double own = calibration.own(load.measuredAs()).computeMs();
      double transfers = cpu(counts, Operation.TRANSFER);
      double appends = cpu(counts, Operation.APPEND);
      double clocks = cpu(counts, Operation.CLOCK_MESSAGE);
      double commits = cpu(counts, Operation.SHARED_COMMIT);
      double all = prediction.clusterMs();
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |%n",
              load.name(),
              own,
              transfers,
              appends,
              clocks,
              commits,
              all - own - transfers - appends - clocks - commits,
              all,
              counts.transfers(),
              counts.appends(),
              counts.clockMessages()));
    }
    return text.toString();
  }

  private double cpu(Counts counts, Operation operation) {
    double ms = 0;
    for (Tier tier : Tier.values()) {
      ms += calibration.cpuMs(tier, operation);
    }
    return counts.of(operation) * ms;
  }

  /** Throughput with each parameter halved, in percent more than without. */
  String sensitivity(int nodes) {
    Cluster cluster = Cluster.ofMachines(nodes, processors, clients);
    Map<String, List<String>> rows = new LinkedHashMap<>();
    StringBuilder text = new StringBuilder("| halved |");
    for (Load load : loads()) {
      text.append(' ').append(load.name()).append(" |");
      for (Sensitivity.Effect effect : Sensitivity.of(calibration, load, cluster)) {
        rows.computeIfAbsent(effect.parameter(), none -> new ArrayList<>())
            .add(String.format(Locale.ROOT, "%+.0f %%", PERCENT * (effect.gain() - 1)));
      }
    }
    text.append("\n|---|").append("---|".repeat(loads().size())).append('\n');
    rows.forEach(
        (parameter, gains) ->
            text.append("| %s | %s |%n".formatted(parameter, String.join(" | ", gains))));
    return text.toString();
  }

  /** Pictures, by the names of their files. */
  Map<String, String> pictures() {
    Map<String, String> pictures = new LinkedHashMap<>();
    pictures.put(
        "throughput.svg",
        chart(
            "Throughput as predicted",
            "transactions per second",
            Prediction::transactionsPerSecond,
            loads()));
    pictures.put(
        "cpu.svg",
        chart("Processor time of a transaction, all nodes", "ms", Prediction::clusterMs, loads()));
    Load tpcc = Loads.tpcc(Loads.TPCC_REMOTE);
    if (calibration.loads().containsKey(tpcc.measuredAs())) {
      pictures.put("clocks.svg", clocks(tpcc));
    }
    return pictures;
  }

  private static LineChart.Line line(String name, IntFunction<Double> value, boolean dashed) {
    return new LineChart.Line(
        name, NODES.stream().map(nodes -> value.apply(nodes)).toList(), dashed);
  }

  private String chart(
      String title, String yTitle, ToDoubleFunction<Prediction> figure, List<Load> loads) {
    LineChart chart = new LineChart(title, "compute nodes", yTitle, NODES);
    for (Load load : loads) {
      chart.add(line(load.name(), nodes -> figure.applyAsDouble(on(load, nodes)), load.spread()));
    }
    return chart.svg();
  }

  /** What messages about the clock take of the throughput. */
  private String clocks(Load load) {
    Calibration tenth = calibration.with(Operation.CLOCK_MESSAGE, ms -> ms / 10);
    LineChart chart =
        new LineChart(
            load.name() + ": messages about the clock",
            "compute nodes",
            "transactions per second",
            NODES);
    chart.add(line("as it is", nodes -> with(calibration, load, nodes, 0), false));
    chart.add(line("appends 5 ms apart", nodes -> with(calibration, load, nodes, 5), false));
    chart.add(line("a tenth of their CPU", nodes -> with(tenth, load, nodes, 0), false));
    double one = with(calibration, load, 1, 0);
    chart.add(line("one node times their number", nodes -> nodes * one, true));
    return chart.svg();
  }

  private double with(Calibration changed, Load load, int nodes, double paceMs) {
    Cluster cluster = Cluster.ofMachines(nodes, processors, clients);
    return ClusterModel.predict(
            changed, load, cluster.withNetwork(cluster.network().withPace(paceMs)))
        .transactionsPerSecond();
  }
}
