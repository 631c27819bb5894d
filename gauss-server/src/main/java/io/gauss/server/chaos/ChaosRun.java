package io.gauss.server.chaos;

import io.gauss.storage.disk.PrivateFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** A cluster, its clients, and one fault after the other until the time is over. */
public final class ChaosRun {
  private static final int STEADY = 15;
  private static final int STEADY_SECONDS = 90;
  private static final int LIVE_SECONDS = 150;
  private static final int WARM_SECONDS = 5;
  private static final int REST_SECONDS = 5;
  private static final int LONGEST_REST_SECONDS = 90;

  private final Options options;
  private final PrintWriter out;
  private final SplittableRandom random;
  private final List<Round> rounds = new ArrayList<>();
  private final List<String> bad = new ArrayList<>();
  private String left = "threads and memory not measured";

  /**
   * @param data a directory of this run's own
   * @param shape of the cluster
   * @param faults kinds that may happen
   * @param nanos no fault begins later than this
   * @param seed decides which faults happen to which nodes
   * @param isIsolated whether this process has namespaces of its own ({@link Isolation})
   * @param java the command line of {@code gauss}, up to its main class
   */
  public record Options(
      Path data,
      Shape shape,
      List<FaultKind> faults,
      long nanos,
      long seed,
      boolean isIsolated,
      List<String> java) {}

  public ChaosRun(Options options, PrintWriter out) {
    this.options = options;
    this.out = out;
    this.random = new SplittableRandom(options.seed());
  }

  /**
   * Runs to its end and prints what it found.
   *
   * @return whether nothing was wrong
   */
  public boolean run() throws IOException {
    PrivateFiles.createDirectory(options.data());
    List<FaultKind> kinds = possible();
    if (kinds.isEmpty()) {
      throw new ChaosFailure("none of these faults can happen here");
    }
    Machine machine =
        options.isIsolated() ? new IsolatedMachine(options.shape()) : new PlainMachine();
    try (ChaosCluster cluster =
        new ChaosCluster(options.data(), options.shape(), machine, options.java())) {
      Thread stop = new Thread(cluster::close, "stop");
      Runtime.getRuntime().addShutdownHook(stop);
      say("seed " + options.seed() + ", nodes " + options.shape() + ", data " + options.data());
      cluster.start();
      campaign(cluster, kinds);
    } catch (ChaosFailure | SQLException e) {
      bad("the run ended early: " + e.getMessage());
    } finally {
      if (machine instanceof IsolatedMachine isolated) {
        isolated.close();
      }
    }
    report();
    return bad.isEmpty();
  }

  private List<FaultKind> possible() {
    List<FaultKind> kinds = new ArrayList<>();
    for (FaultKind kind : options.faults()) {
      boolean isIsolated = options.isIsolated() || !kind.cuts() && kind != FaultKind.FULL_DISK;
      String missing =
          isIsolated
              ? kind.missing(options.shape()).orElse(null)
              : "it needs namespaces (Linux; root, or user namespaces), which this system refuses";
      if (missing == null) {
        kinds.add(kind);
      } else {
        say(kind.label() + " is skipped: " + missing);
      }
    }
    return kinds;
  }

  private void say(String text) {
    out.println(text);
    out.flush();
  }

  private void bad(String text) {
    bad.add(text);
    say("WRONG: " + text);
  }

  // ---- rounds

  private void campaign(ChaosCluster cluster, List<FaultKind> kinds)
      throws IOException, SQLException {
    Load load = new Load(cluster, random.split());
    Faults faults = new Faults(cluster, options.java(), random.split());
    load.createTables();
    load.start();
    steady(cluster, load);
    Waits.sleep(TimeUnit.SECONDS.toMillis(WARM_SECONDS));
    rest(load);
    Leftovers before = measure(cluster);
    say(Round.HEADER);
    long begin = System.nanoTime();
    List<FaultKind> order = new ArrayList<>();
    do {
      if (order.isEmpty()) {
        order.addAll(kinds);
        Collections.shuffle(order, new Random(random.nextLong()));
      }
      Round round = round(cluster, load, faults, order.removeLast());
      rounds.add(round);
      say(round.row());
      round.anomalies().forEach(this::bad);
      round.overBounds().forEach(this::bad);
    } while (System.nanoTime() - begin < options.nanos());
    if (before != null) {
      Leftovers after = atRest(cluster, before);
      after.since(before).forEach(this::bad);
      left =
          "threads %+d, heap %+d MB"
              .formatted(
                  after.threads() - before.threads(),
                  after.heapMegabytes() - before.heapMegabytes());
    }
  }

  /** Threads of a pool that have nothing to do end after a minute. */
  private static Leftovers atRest(ChaosCluster cluster, Leftovers before) throws IOException {
    Leftovers after;
    int rested = 0;
    do {
      Waits.sleep(TimeUnit.SECONDS.toMillis(REST_SECONDS));
      rested += REST_SECONDS;
      after = measure(cluster);
    } while (!after.since(before).isEmpty() && rested < LONGEST_REST_SECONDS);
    return after;
  }

  private static Leftovers measure(ChaosCluster cluster) throws IOException {
    return Leftovers.canBeMeasured() ? Leftovers.measure(cluster) : null;
  }

  private Round round(ChaosCluster cluster, Load load, Faults faults, FaultKind kind)
      throws IOException, SQLException {
    load.start();
    steady(cluster, load);
    Tally tally = load.tally();
    int lost = load.lostCount();
    tally.reset();
    faults.happen(kind);
    long over = System.nanoTime();
    Map<Integer, Long> then = new HashMap<>();
    cluster.shape().computeNodes().forEach(node -> then.put(node, tally.commits(node)));
    back(cluster, tally, then, 1);
    long back = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - over);
    back(cluster, tally, then, STEADY);
    for (int node : cluster.shape().allNodes()) {
      cluster.awaitUp(node);
    }
    Set<Integer> hit = faults.hit();
    long gap =
        cluster.shape().computeNodes().stream()
            .filter(node -> !hit.contains(node))
            .mapToLong(tally::gapMillis)
            .max()
            .orElse(-1);
    Round.Times times = new Round.Times(gap, back, tally.slowestMillis());
    long commits = tally.commits();
    Map<String, Integer> told = tally.errors();
    rest(load);
    return new Round(
        kind, faults.text(), commits, load.lostCount() - lost, load.takeAnomalies(), times, told);
  }

  private void steady(ChaosCluster cluster, Load load) throws IOException {
    Tally tally = load.tally();
    tally.reset();
    back(cluster, tally, Map.of(), STEADY);
  }

  /** Waits until every compute node has so many commits more. */
  private void back(ChaosCluster cluster, Tally tally, Map<Integer, Long> then, int more)
      throws IOException {
    for (int node : cluster.shape().computeNodes()) {
      int patience = then.isEmpty() ? STEADY_SECONDS : LIVE_SECONDS;
      if (!Waits.await(patience, () -> tally.commits(node) >= then.getOrDefault(node, 0L) + more)) {
        if (Leftovers.canBeMeasured()) {
          Leftovers.dump(cluster, options.data().resolve("logs"));
        }
        throw new ChaosFailure(
            "compute node %d commits nothing for %d s (told: %s; ended: %s)"
                .formatted(node, patience, tally.errors(), cluster.unexpectedEnds()));
      }
    }
  }

  private void rest(Load load) throws SQLException {
    load.stop();
    load.check();
  }

  // ---- the end

  private void report() {
    long transactions = rounds.stream().mapToLong(Round::transactions).sum();
    int lost = rounds.stream().mapToInt(Round::lost).sum();
    int anomalies = rounds.stream().mapToInt(round -> round.anomalies().size()).sum();
    long over = rounds.stream().filter(round -> !round.overBounds().isEmpty()).count();
    if (!bad.isEmpty()) {
      say("what the nodes logged is in " + options.data().resolve("logs"));
    }
    say(
        "%d faults, %d lost, %d anomalies, %d over their bounds, %d transactions, %s%s (seed %d)"
            .formatted(
                rounds.size(),
                lost,
                anomalies,
                over,
                transactions,
                left,
                bad.size() > anomalies + over ? ", ENDED EARLY or left something behind" : "",
                options.seed()));
  }
}
