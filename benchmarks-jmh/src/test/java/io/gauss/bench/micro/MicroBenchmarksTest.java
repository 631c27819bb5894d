package io.gauss.bench.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Every benchmark runs: its state is made, one operation is done, and the state goes. */
@Timeout(300)
class MicroBenchmarksTest {
  /** By class; one that gets lost is missed. */
  private static final Map<String, Integer> BENCHMARKS =
      Map.of(
          "LogBenchmark", 2,
          "MemoryNodeBenchmark", 6,
          "ProtocolBenchmark", 2,
          "RouteBenchmark", 1,
          "SamplingBenchmark", 3,
          "StatementBenchmark", 3,
          "TransactionBenchmark", 4,
          "TransportBenchmark", 3,
          "TreeBenchmark", 6);

  @Test
  void eachDoesOneOperation() throws RunnerException {
    System.setProperty("jmh.ignoreLock", "true");
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include("io\\.gauss\\.bench\\.micro\\..*")
                    .forks(0)
                    .mode(Mode.SingleShotTime)
                    .warmupIterations(0)
                    .measurementIterations(1)
                    .timeout(TimeValue.seconds(60))
                    .timeUnit(TimeUnit.MILLISECONDS)
                    .shouldFailOnError(true)
                    .param("entries", "2000")
                    .param("slots", "100")
                    .param("rows", "2000")
                    // DJL is not among what the benchmarks need; its native libraries are large.
                    .param("path", "hit", "miss-java", "table", "sticky")
                    .build())
            .run();
    Map<String, Integer> ran = new TreeMap<>();
    results.stream()
        .map(result -> result.getParams().getBenchmark())
        .distinct()
        .forEach(
            name -> ran.merge(name.split("\\.")[name.split("\\.").length - 2], 1, Integer::sum));
    assertEquals(new TreeMap<>(BENCHMARKS), ran);
    for (RunResult result : results) {
      assertEquals(
          1,
          result.getAggregatedResult().getPrimaryResult().getSampleCount(),
          result.getParams().id());
    }
  }

  @Test
  void theDriversFootprintIsMeasured() throws Exception {
    DriverFootprint.main(new String[] {"java"});
  }
}
