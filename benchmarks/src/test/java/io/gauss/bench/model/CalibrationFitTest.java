package io.gauss.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Runs that were made up from known costs give these back. */
final class CalibrationFitTest {
  private static final List<String> LOADS =
      List.of("tpcb", "ycsb-a", "sysbench-read_write", "sysbench-point_select");

  private final SplittableRandom random = new SplittableRandom(3);

  private static double cost(Tier tier, Operation operation) {
    return (1 + tier.ordinal())
        * switch (operation) {
          case TRANSFER -> 0.3;
          case APPEND -> 0.8;
          case CLOCK_MESSAGE -> 0.05;
          case PAGE_READ -> 0.2;
          case NODE_SECOND -> 20;
          case STREAM_SECOND -> 10;
        };
  }

  private MeasuredRun run(String load, int nodes, double noise) {
    double rate = 50 + 500 * random.nextDouble();
    double transfers = Loads.measured(load).transfers(nodes, 0) * 1.5;
    Map<Tier, Integer> counts = new EnumMap<>(Tier.class);
    counts.put(Tier.COMPUTE, nodes);
    counts.put(Tier.MEMORY, 2);
    counts.put(Tier.STORAGE, 3);
    MeasuredRun bare =
        new MeasuredRun(
            load + nodes,
            load,
            false,
            0,
            counts,
            9,
            rate,
            Map.of(),
            0.5,
            transfers,
            random.nextDouble(),
            4 * (nodes - 1) * random.nextDouble(),
            random.nextDouble(),
            0,
            100);
    Map<Tier, Double> cpu = new EnumMap<>(Tier.class);
    for (Tier tier : Tier.values()) {
      double ms = tier == Tier.COMPUTE ? 1 + LOADS.indexOf(load) : 0;
      for (Operation operation : tier.operations()) {
        ms += cost(tier, operation) * bare.count(operation, tier);
      }
      cpu.put(tier, ms * (1 + noise * (random.nextDouble() - 0.5)));
    }
    return new MeasuredRun(
        bare.name(),
        load,
        false,
        0,
        counts,
        9,
        rate,
        cpu,
        0.5,
        transfers,
        bare.appends(),
        bare.clockMessages(),
        bare.pageReads(),
        0,
        100);
  }

  private List<MeasuredRun> runs(double noise) {
    List<MeasuredRun> runs = new ArrayList<>();
    for (String load : LOADS) {
      for (int nodes = 1; nodes <= 3; nodes++) {
        runs.add(run(load, nodes, noise));
      }
    }
    return runs;
  }

  @Test
  void costsOfExactRunsAreFound() {
    Calibration fitted = CalibrationFit.of(runs(0));
    for (Tier tier : Tier.values()) {
      for (Operation operation : tier.operations()) {
        double expected = cost(tier, operation);
        assertEquals(expected, fitted.cpuMs(tier, operation), 1e-3 * expected, operation::title);
      }
    }
    for (String load : LOADS) {
      assertEquals(1 + LOADS.indexOf(load), fitted.own(load).computeMs(), 1e-3);
    }
    assertEquals(1.5, fitted.own("tpcb").transferFactor(), 1e-9);
  }

  /** Single costs may be off, what they add up to is not. */
  @Test
  void noiseDoesNotAddUp() {
    List<MeasuredRun> runs = runs(0.1);
    for (ModelCheck.Line line : ModelCheck.lines(CalibrationFit.of(runs), runs, 0)) {
      double compute = 0;
      Calibration fitted = CalibrationFit.of(runs);
      for (Operation operation : Tier.COMPUTE.operations()) {
        compute +=
            fitted.cpuMs(Tier.COMPUTE, operation) * line.run().count(operation, Tier.COMPUTE);
      }
      compute += fitted.own(line.run().load()).computeMs();
      double measured = line.run().cpuMs().get(Tier.COMPUTE);
      assertEquals(measured, compute, 0.1 * measured);
    }
  }
}
