package io.gauss.simulation.cluster;

import io.gauss.simulation.cluster.SeedRun.Result;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

/** The command {@code ./gauss simulate}. */
public final class Simulate {
  private static final int SHOWN_EVENTS = 200;
  private static final String USAGE =
      """
      usage: gauss simulate --seeds N [--from S]   runs N seeds
             gauss simulate --twice N [--from S]   the same, each twice, and compares the histories
             gauss simulate --seed S               runs one seed, and shows its faults and its hash
      """;

  private final PrintStream out;

  private Simulate(PrintStream out) {
    this.out = out;
  }

  /** Ends the process: 0 when all seeds have passed, 1 when one has failed, 2 for wrong options. */
  public static void main(String[] arguments) {
    System.exit(new Simulate(System.out).run(List.of(arguments)));
  }

  private int run(List<String> arguments) {
    Long one = null;
    Long count = null;
    long from = 1;
    boolean twice = false;
    try {
      for (int i = 0; i < arguments.size(); i += 2) {
        long value = Long.parseLong(arguments.get(i + 1));
        switch (arguments.get(i)) {
          case "--seed" -> one = value;
          case "--seeds" -> count = value;
          case "--twice" -> {
            count = value;
            twice = true;
          }
          case "--from" -> from = value;
          default -> throw new IllegalArgumentException(arguments.get(i));
        }
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      one = null;
      count = null;
    }
    if ((one == null) == (count == null)) {
      out.print(USAGE);
      return 2;
    }
    return one != null ? single(one) : many(from, count, twice);
  }

  private int single(long seed) {
    Result result = SeedRun.run(seed);
    if (!result.passed()) {
      show(result);
      out.println("with as few faults as it takes: " + SeedRun.shrink(seed).faults());
    }
    out.printf("%s%s%n", result.passed() ? "passed" : "FAILED", figures(result));
    out.printf("seed %d, faults %s, hash %016x%n", result.seed(), result.faults(), result.hash());
    return result.passed() ? 0 : 1;
  }

  private int many(long from, long count, boolean twice) {
    long failed = 0;
    long start = System.nanoTime();
    Duration simulated = Duration.ZERO;
    long committed = 0;
    long histories = 0;
    long faults = 0;
    for (long seed = from; seed < from + count; seed++) {
      Result result = SeedRun.run(seed);
      simulated = simulated.plus(result.simulated());
      committed += result.committed();
      histories = 31 * histories + result.hash();
      faults += result.faults().size();
      if (!result.passed()) {
        failed++;
        show(result);
        out.printf(
            "seed %d FAILED; faults %s%n  repeat it by: ./gauss simulate --seed %d%n",
            seed, result.faults(), seed);
      } else if (twice && SeedRun.run(seed).hash() != result.hash()) {
        failed++;
        out.printf("seed %d FAILED: it does not repeat; faults %s%n", seed, result.faults());
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    out.printf(
        "%d transactions committed, %.1f faults per seed, %d s of simulated time in %.0f s; all"
            + " histories %016x%n",
        committed, (double) faults / count, simulated.toSeconds(), seconds, histories);
    out.printf("%d passed, %d failed%n", count - failed, failed);
    return failed == 0 ? 0 : 1;
  }

  private void show(Result result) {
    List<String> events = result.events();
    events.subList(Math.max(0, events.size() - SHOWN_EVENTS), events.size()).forEach(out::println);
    result.wrong().forEach(out::println);
  }

  private static String figures(Result result) {
    return ": %d transactions committed, %d steps, %d ms of simulated time"
        .formatted(result.committed(), result.steps(), result.simulated().toMillis());
  }
}
