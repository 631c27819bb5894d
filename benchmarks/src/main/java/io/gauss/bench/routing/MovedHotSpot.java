package io.gauss.bench.routing;

import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/**
 * Moves the hot spot of a load by half of the key space, and measures how long transfers per
 * transaction take to return to their former level.
 */
public final class MovedHotSpot {
  /** The factor of the former level that counts as having returned. */
  static final double ENOUGH = 1.2;

  /** Number of seconds in a mean, so that a single lucky one does not count. */
  static final int SECONDS_OF_MEAN = 3;

  /** Transfers per transaction that count as none. */
  static final double NEXT_TO_NONE = 0.05;

  private final RoutedWorkload workload;
  private final RoutingMode mode;
  private final RoutingOptions options;
  private final PrintWriter out;

  public MovedHotSpot(
      RoutedWorkload workload, RoutingMode mode, RoutingOptions options, PrintWriter out) {
    this.workload = workload;
    this.mode = mode;
    this.options = options;
    this.out = out;
  }

  /**
   * Runs it; prints transfers per transaction second by second.
   *
   * @param seconds before the hot spot moves
   * @param most seconds afterwards, at most
   * @return seconds until they have returned; empty if they have not
   */
  public OptionalInt run(int seconds, int most) throws SQLException, InterruptedException {
    SplittableRandom seeds = new SplittableRandom(options.seed());
    try (ComputeNodes nodes =
            new ComputeNodes(options.addresses(), options.user(), options.password());
        RoutedClients random =
            new RoutedClients(workload, RoutingMode.RANDOM, options, seeds.split(), null, false);
        RoutedClients clients =
            new RoutedClients(workload, mode, options, seeds.split(), null, false)) {
      RoutingLoads.loadIfNeeded(workload, options, out);
      LearningPhase learning = new LearningPhase(options, out);
      learning.run(random);
      learning.untilKnown(clients, mode);
      return clients.run(run -> follow(run, nodes, seconds, most));
    }
  }

  private OptionalInt follow(RoutedClients.Run run, ComputeNodes nodes, int seconds, int most)
      throws SQLException, InterruptedException {
    run.pass(1000L * options.settleMost());
    double before = before(run, nodes, seconds);
    workload.moveHotSpot();
    out.printf("the hot spot has moved; before %.3f transfers per transaction%n", before);
    List<Double> after = new ArrayList<>();
    TransferCounts last = nodes.counts();
    while (after.size() < most && backAfter(before, after).isEmpty()) {
      last = second(run, nodes, last, after);
      show("after", after);
    }
    OptionalInt back = backAfter(before, after);
    out.println(
        back.isPresent()
            ? "back to at most %.1f times what it was after %d s".formatted(ENOUGH, back.getAsInt())
            : "not back after %d s".formatted(after.size()));
    out.flush();
    return back;
  }

  private double before(RoutedClients.Run run, ComputeNodes nodes, int seconds)
      throws SQLException, InterruptedException {
    List<Double> figures = new ArrayList<>();
    TransferCounts begin = nodes.counts();
    TransferCounts last = begin;
    for (int second = 0; second < seconds; second++) {
      last = second(run, nodes, last, figures);
      show("before", figures);
    }
    return last.since(begin).perTransaction();
  }

  private static TransferCounts second(
      RoutedClients.Run run, ComputeNodes nodes, TransferCounts last, List<Double> figures)
      throws SQLException, InterruptedException {
    run.pass(1000);
    TransferCounts now = nodes.counts();
    figures.add(now.since(last).perTransaction());
    return now;
  }

  private void show(String when, List<Double> figures) {
    out.printf("%s %3d s %8.3f transfers/transaction%n", when, figures.size(), figures.getLast());
    out.flush();
  }

  /**
   * The first second after which the mean was low enough.
   *
   * @param before transfers per transaction before
   * @param after the same for each second afterwards
   */
  static OptionalInt backAfter(double before, List<Double> after) {
    double enough = Math.max(before * ENOUGH, NEXT_TO_NONE);
    for (int end = SECONDS_OF_MEAN; end <= after.size(); end++) {
      double mean =
          after.subList(end - SECONDS_OF_MEAN, end).stream()
              .mapToDouble(v -> v)
              .average()
              .orElseThrow();
      if (mean <= enough) {
        return OptionalInt.of(end);
      }
    }
    return OptionalInt.empty();
  }
}
