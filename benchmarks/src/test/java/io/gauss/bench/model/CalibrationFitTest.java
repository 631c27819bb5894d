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

  private static final Map<Tier, Double> IDLE =
      Map.of(Tier.COMPUTE, 24.0, Tier.MEMORY, 9.0, Tier.STORAGE, 55.0);

  private static final double SHARED = 1.6;

  private final SplittableRandom random = new SplittableRandom(3);

  private static double messages(Tier tier, Operation operation) {
    return switch (operation) {
      case TRANSFER -> tier == Tier.COMPUTE ? 3 : 2;
      case APPEND -> tier == Tier.COMPUTE ? 1 : 9;
      case CLOCK_MESSAGE, PAGE_READ -> 1;
      case SHARED_COMMIT -> 4;
      case NODE_SECOND -> 30;
    };
  }

  private static double cpuMs(Tier tier, Operation operation) {
    if (operation == Operation.NODE_SECOND) {
      return IDLE.get(tier);
    }
    return switch (tier) {
      case COMPUTE -> 0.2 * messages(tier, operation);
      case MEMORY -> 0.1 * messages(tier, operation);
      case STORAGE -> operation == Operation.APPEND ? 2 : 0.3;
    };
  }

  private static double own(String load) {
    return 0.5 + LOADS.indexOf(load);
  }

  private MeasuredRun run(String load, int nodes, double factor, double noise) {
    Map<Tier, Integer> counts = new EnumMap<>(Tier.class);
    counts.put(Tier.COMPUTE, nodes);
    counts.put(Tier.MEMORY, 2);
    counts.put(Tier.STORAGE, 3);
    MeasuredRun counted =
        new MeasuredRun(
            load + nodes,
            load,
            false,
            0,
            counts,
            9,
            50 + 500 * random.nextDouble(),
            Map.of(),
            0.5,
            Loads.measured(load).transfers(nodes, 0) * 1.5,
            random.nextDouble(),
            4 * (nodes - 1) * random.nextDouble(),
            random.nextDouble(),
            0,
            Map.of());
    Map<Tier, Double> messages = new EnumMap<>(Tier.class);
    Map<Tier, Double> cpu = new EnumMap<>(Tier.class);
    for (Tier tier : Tier.values()) {
      double sent = 0;
      double ms = tier == Tier.COMPUTE ? own(load) : 0;
      for (Operation operation : tier.operations()) {
        sent += messages(tier, operation) * counted.count(operation, tier);
        ms += cpuMs(tier, operation) * counted.count(operation, tier);
      }
      messages.put(tier, sent);
      cpu.put(tier, factor * ms * (1 + noise * (random.nextDouble() - 0.5)));
    }
    return new MeasuredRun(
        counted.name(),
        load,
        false,
        0,
        counts,
        counted.clients(),
        counted.transactionsPerSecond(),
        cpu,
        counted.clientMs(),
        counted.transfers(),
        counted.appends(),
        counted.clockMessages(),
        counted.pageReads(),
        0,
        messages);
  }

  private List<MeasuredRun> runs(double factor, double noise, int... nodes) {
    List<MeasuredRun> runs = new ArrayList<>();
    for (String load : LOADS) {
      for (int each : nodes) {
        runs.add(run(load, each, factor, noise));
      }
    }
    return runs;
  }

  private static void assertKnown(Calibration fitted, double tolerance) {
    for (Tier tier : Tier.values()) {
      for (Operation operation : tier.operations()) {
        double ms = cpuMs(tier, operation);
        assertEquals(ms, fitted.cpuMs(tier, operation), tolerance * ms, operation::title);
        double sent = messages(tier, operation);
        assertEquals(sent, fitted.messages(tier, operation), tolerance * sent, operation::title);
      }
    }
    for (String load : LOADS) {
      assertEquals(own(load), fitted.own(load).computeMs(), tolerance * own(load));
    }
    assertEquals(1.5, fitted.own("tpcb").transferFactor(), 1e-9);
  }

  @Test
  void costsOfExactRunsAreFound() {
    assertKnown(CalibrationFit.of(runs(1, 0, 1, 2, 3), List.of(), IDLE), 1e-3);
  }

  @Test
  void runsOfAMachineThatOthersUsedSayTheSameUpToAFactor() {
    Calibration fitted = CalibrationFit.of(runs(1, 0, 3), runs(SHARED, 0, 1, 2), IDLE);
    assertEquals(SHARED, fitted.sharedFactor(), 0.05);
    assertKnown(fitted, 0.1);
  }

  @Test
  void noiseDoesNotAddUp() {
    List<MeasuredRun> runs = runs(1, 0.1, 1, 2, 3);
    Calibration fitted = CalibrationFit.of(runs, List.of(), IDLE);
    for (MeasuredRun run : runs) {
      double predicted = fitted.own(run.load()).computeMs();
      for (Operation operation : Tier.COMPUTE.operations()) {
        predicted += fitted.cpuMs(Tier.COMPUTE, operation) * run.count(operation, Tier.COMPUTE);
      }
      double measured = run.cpuMs().get(Tier.COMPUTE);
      assertEquals(measured, predicted, 0.1 * measured);
    }
  }
}
