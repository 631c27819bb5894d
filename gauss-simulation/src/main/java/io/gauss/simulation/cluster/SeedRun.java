package io.gauss.simulation.cluster;

import io.gauss.common.fault.FaultPoints;
import io.gauss.common.history.ClientScript;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.runtime.Environment;
import io.gauss.memory.wire.PageMessageKind;
import io.gauss.simulation.SimulatedNetwork;
import io.gauss.simulation.Simulation;
import io.gauss.simulation.cluster.FaultPlan.Fault;
import io.gauss.simulation.cluster.SimulatedCluster.Size;
import io.gauss.simulation.storage.LogFaults;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** The run of one seed: its cluster, clients and faults, and what must be so afterwards. */
final class SeedRun {

  /** After the last fault every client gets its answers within this time. */
  private static final Duration LIVENESS = Duration.ofSeconds(90);

  /** Not copies: who waits for one of these gets an error. */
  private static final Set<PageMessageKind> DAMAGED =
      Set.of(
          PageMessageKind.GIVEN,
          PageMessageKind.GRANT_READ,
          PageMessageKind.GRANT_WRITE,
          PageMessageKind.RELEASE);

  private static final List<String> TABLES =
      List.of("lists", "bank", "taken", "parent", "child", "indexed");

  private static final List<String> PLACES =
      List.of(
          "log.before-append",
          "log.after-append",
          "txn.pending",
          "txn.reserved",
          "pages.lane",
          "pages.came",
          "pages.fetch",
          "buffer.evict",
          "clock.called",
          "memory.task",
          "undo.load",
          "undo.read",
          "tree.before-post",
          "takeover.leftovers",
          "redo.batch");

  /** Where a thread has waited for a page that has come. */
  private static final String WAITERS = "pages.came";

  /** Where a page store is about to apply something. */
  private static final String PAGE_STORES = "redo.follow";

  /** A link that is broken for so long may cost one of its nodes its place, */
  private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

  /** so long after it works again at the latest. */
  private static final long DECIDED_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

  /** A storage node looks ten times a second whether its disk has room again. */
  private static final long ROOM_SEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** A thread that runs late does so long after a page's turn would be over by the time alone. */
  private static final long LEAST_LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final long MAX_LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Whoever runs late for so long gets on nevertheless, and has its answers. */
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long MAX_BEHIND_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_STAND_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
  private static final long MAX_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MAX_AIM_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long MAX_RETURN_NANOS = TimeUnit.MILLISECONDS.toNanos(800);
  private static final long MAX_UNHEARD_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  private final long seed;
  private final Scenario scenario;
  private final Simulation simulation;
  private final List<String> wrong = new ArrayList<>();
  private SimulatedCluster cluster;
  private Clients clients;
  private Workers workers;
  private final List<FaultPoints.Armed> armed = new ArrayList<>();
  private int happening;
  private long quietFrom; // what the faults bring about has begun by then

  /**
   * What came of it.
   *
   * @param faults in the order of their times
   * @param wrong what is wrong; empty when nothing is
   * @param hash of the whole history
   * @param committed transactions that clients know to be committed
   * @param steps times that a thread ran
   * @param events the last ones, in words, if something is wrong
   */
  record Result(
      long seed,
      List<String> faults,
      List<String> wrong,
      long hash,
      int committed,
      long steps,
      Duration simulated,
      List<String> events) {
    /** Whether nothing is wrong. */
    boolean passed() {
      return wrong.isEmpty();
    }
  }

  private SeedRun(long seed, Scenario scenario) {
    this.seed = seed;
    this.scenario = scenario;
    this.simulation = new Simulation(seed);
  }

  /** Runs the seed with its faults. */
  static Result run(long seed) {
    return run(seed, Scenario.of(seed));
  }

  /** Runs a scenario; the seed decides all that it leaves open. */
  static Result run(long seed, Scenario scenario) {
    return new SeedRun(seed, scenario).run();
  }

  /** Leaves out faults of a seed that fails, one by one, as long as it still fails. */
  static Result shrink(long seed) {
    Scenario scenario = Scenario.of(seed);
    Result least = run(seed, scenario);
    int index = 0;
    while (index < scenario.plan().faults().size()) {
      Scenario fewer = scenario.with(scenario.plan().without(index));
      Result result = run(seed, fewer);
      if (result.passed()) {
        index++;
      } else {
        scenario = fewer;
        least = result;
      }
    }
    return least;
  }

  private Result run() {
    Path directory = directory();
    Invariant.Handler before = Invariant.install(simulation::fail);
    try {
      simulation.run(() -> work(directory));
    } catch (AssertionError e) {
      wrong.add(text(e));
    } finally {
      Invariant.install(before);
      disarm();
      delete(directory);
    }
    return new Result(
        seed,
        scenario.plan().faults().stream().map(Fault::toString).toList(),
        List.copyOf(wrong),
        simulation.trace().hash(),
        clients == null ? 0 : clients.committed(),
        simulation.steps(),
        simulation.elapsed(),
        wrong.isEmpty() ? List.of() : simulation.trace().events());
  }

  private static String text(Throwable failure) {
    StringBuilder text = new StringBuilder();
    for (Throwable at = failure; at != null; at = at.getCause()) {
      text.append(at).append('\n');
      for (StackTraceElement line : at.getStackTrace()) {
        text.append("    at ").append(line).append('\n');
      }
    }
    return text.toString();
  }

  private static Path directory() {
    try {
      return Files.createTempDirectory("gauss-simulation");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void work(Path directory) {
    Size size = scenario.size();
    cluster =
        new SimulatedCluster(
            simulation, directory, size, Map.of("cluster.lease", "2"), scenario.settings());
    cluster.start();
    clients =
        new Clients(
            simulation,
            cluster,
            ClientScript.of(seed, scenario.clients(), size.computes(), scenario.transactions()));
    workers =
        new Workers(simulation, cluster, seed, scenario.workloads().get(), scenario.transactions());
    ClientConnection first = cluster.connect(1);
    clients.tables(first);
    workers.tables(first);
    first.close();
    clients.start();
    workers.start();
    long begin = simulation.elapsed().toNanos();
    for (Fault fault : scenario.plan().faults()) {
      Environment.parkNanos(begin + fault.atNanos() - simulation.elapsed().toNanos());
      happening++;
      Environment.start(
          "fault",
          () -> {
            happen(fault);
            long quietNanos = simulation.elapsed().toNanos() + lastsNanos(fault);
            quietFrom = Math.max(quietFrom, quietNanos);
            happening--;
          });
    }
    await("all faults are over", () -> happening == 0);
    cluster.network().heal();
    await("all clients have their answers", this::areDone);
    Environment.parkNanos(quietFrom - simulation.elapsed().toNanos());
    cluster.awaitWell();
    check();
    cluster.close();
  }

  private boolean areDone() {
    return clients.areDone() && workers.areDone();
  }

  /** After the end of a fault nodes may still act upon it for so long. */
  private static long lastsNanos(Fault fault) {
    return switch (fault.kind()) {
      case DISK_FULL -> ROOM_SEEN_NANOS;
      case DRAIN, IO_ERROR -> DECIDED_NANOS; // asked for only, or with the next force
      default -> fault.nanos() >= LONG_NANOS ? DECIDED_NANOS : 0;
    };
  }

  private void await(String what, BooleanSupplier condition) {
    Duration limit = simulation.elapsed().plus(LIVENESS);
    while (!condition.getAsBoolean()) {
      if (simulation.elapsed().compareTo(limit) > 0) {
        throw new AssertionError("not within " + LIVENESS.toSeconds() + " s: " + what);
      }
      Environment.parkNanos(10_000_000);
    }
  }

  private void happen(Fault fault) {
    if (fault.when() != null && !awaitSent(fault.aimedAt(), fault.when(), MAX_AIM_NANOS)) {
      return;
    }
    simulation.event("FAULT " + fault);
    int node = fault.node();
    switch (fault.kind()) {
      case KILL -> cluster.kill(node, false, fault.nanos());
      case LOSE_POWER -> cluster.kill(node, true, fault.nanos());
      case PAUSE -> cluster.pause(node, fault.nanos());
      case DISCONNECT -> cluster.network().disconnect(node);
      case CUT_ONE_WAY -> cut(List.of(node), List.of(fault.other()), false, fault.nanos());
      case CUT -> cut(List.of(node), List.of(fault.other()), true, fault.nanos());
      case ISOLATE -> cut(List.of(node), List.copyOf(cluster.numbers()), true, fault.nanos());
      case SLOW -> slow(fault);
      case STALL -> {
        SimulatedNetwork.Stall stall = stalled(node, fault.other(), fault.what());
        Environment.parkNanos(fault.nanos());
        stall.end();
      }
      case DAMAGE -> damage(fault.nanos());
      case STAND_STILL -> stand(PLACES, 16, MAX_STAND_NANOS, fault.nanos());
      case RUN_LATE -> runLate(fault.nanos());
      case UNKIND_STORAGE -> {
        cluster.storage().faults(LogFaults.some());
        Environment.parkNanos(fault.nanos());
        cluster.storage().faults(LogFaults.none());
      }
      case DISK_FULL -> {
        cluster.storage().full(node, true);
        Environment.parkNanos(fault.nanos());
        cluster.storage().full(node, false);
      }
      case IO_ERROR -> cluster.storage().failLogs(node);
      case ADD -> cluster.add(node);
      case KILL_ANSWERED -> {
        cluster.awaitAnswer(node, MAX_ANSWER_NANOS);
        Environment.parkNanos(upTo(MAX_AFTER_NANOS));
        cluster.kill(node, false, fault.nanos());
      }
      case QUICK_RETURN -> quickReturn(fault);
      case HOME_LOST -> homeLost(fault);
      case PAGES_BEHIND -> stand(List.of(PAGE_STORES), 2, MAX_BEHIND_NANOS, fault.nanos());
      case DRAIN -> cluster.drain(node);
    }
    simulation.event("OVER " + fault);
  }

  private static long upTo(long nanos) {
    return 1 + Environment.random().nextLong(nanos);
  }

  /** The other node hears of the death, and then nothing until the node is back. */
  private void quickReturn(Fault fault) {
    List<Integer> storage =
        cluster.numbers().stream().filter(n -> n >= SimulatedCluster.FIRST_STORAGE).toList();
    cluster.awaitAnswer(fault.node(), MAX_ANSWER_NANOS);
    Environment.parkNanos(upTo(MAX_AFTER_NANOS));
    happening++;
    Environment.start(
        "unheard",
        () -> {
          Environment.parkNanos(upTo(MAX_RETURN_NANOS));
          cut(storage, List.of(fault.other()), false, Math.min(fault.nanos(), MAX_UNHEARD_NANOS));
          happening--;
        });
    cluster.kill(fault.node(), false, upTo(MAX_AFTER_NANOS));
  }

  private void homeLost(Fault fault) {
    HomeLoss loss =
        new HomeLoss(
            cluster.network(), scenario.size().computes(), action -> arm(PAGE_STORES, action));
    loss.happen(
        home -> {
          happening++;
          Environment.start(
              "home-ends",
              () -> {
                cluster.kill(home, false, fault.nanos());
                happening--;
              });
        });
  }

  private SimulatedNetwork.Stall stalled(int node, int other, MessageSort what) {
    return cluster
        .network()
        .stall(
            (from, to, messages) ->
                (node == 0 || from == node) && (other == 0 || to == other) && what.isIn(messages));
  }

  private boolean awaitSent(int node, MessageSort what, long nanos) {
    return cluster
        .network()
        .awaitSent((from, to, messages) -> from == node && what.isIn(messages), nanos);
  }

  private void cut(List<Integer> some, List<Integer> others, boolean both, long nanos) {
    each(
        some,
        others,
        (from, to) -> {
          cluster.network().cut(from, to);
          if (both) {
            cluster.network().cut(to, from);
          }
        });
    Environment.parkNanos(nanos);
    each(
        some,
        others,
        (from, to) -> {
          cluster.network().heal(from, to);
          cluster.network().heal(to, from);
        });
  }

  /** One of so many threads that come to such a place stands there for a while. */
  private void stand(List<String> places, int one, long maxNanos, long nanos) {
    List<FaultPoints.Armed> here = new ArrayList<>();
    for (String place : places) {
      here.add(
          arm(
              place,
              () -> {
                if (Environment.random().nextInt(one) == 0) {
                  Environment.parkNanos(upTo(maxNanos));
                }
              }));
    }
    Environment.parkNanos(nanos);
    here.forEach(FaultPoints.Armed::close);
  }

  private void runLate(long nanos) {
    FaultPoints.Armed here =
        arm(WAITERS, () -> Environment.parkNanos(LEAST_LATE_NANOS + upTo(MAX_LATE_NANOS)));
    long end = simulation.elapsed().toNanos() + nanos;
    while (!areDone() && simulation.elapsed().toNanos() < end) {
      Environment.parkNanos(10_000_000);
    }
    here.close();
    if (nanos >= LATE_NANOS && !areDone()) {
      wrong.add("clients get no answers while threads run late");
    }
  }

  private FaultPoints.Armed arm(String place, Runnable action) {
    FaultPoints.Armed here = FaultPoints.arm(place, action);
    armed.add(here);
    return here;
  }

  private void disarm() {
    armed.forEach(FaultPoints.Armed::close);
    armed.clear();
  }

  /** About every second page. */
  private void damage(long nanos) {
    cluster
        .network()
        .tamper(
            (from, to, messages) -> {
              int random = Environment.random().nextInt();
              if (random < 0 && MessageSort.damage(messages, DAMAGED, random)) {
                simulation.event("a page from " + from + " to " + to + " is damaged");
              }
            });
    Environment.parkNanos(nanos);
    cluster.network().tamper((from, to, messages) -> {});
  }

  private void slow(Fault fault) {
    SimulatedNetwork.Delay delay = new SimulatedNetwork.Delay(1_000_000, 50_000_000);
    List<Integer> all = List.copyOf(cluster.numbers());
    each(List.of(fault.node()), all, (from, to) -> cluster.network().slow(from, to, delay));
    Environment.parkNanos(fault.nanos());
    each(List.of(fault.node()), all, (from, to) -> cluster.network().heal(from, to));
  }

  private static void each(List<Integer> some, List<Integer> others, Pair action) {
    for (int one : some) {
      for (int other : others) {
        if (one != other) {
          action.accept(one, other);
        }
      }
    }
  }

  @FunctionalInterface
  private interface Pair {
    void accept(int from, int to);
  }

  // ---- afterwards

  private void check() {
    List<String> first = null;
    for (int node = 1; node <= cluster.computes(); node++) {
      ClientConnection connection = cluster.connect(node);
      clients.check(node, connection);
      workers.check(node, connection);
      List<String> contents = new ArrayList<>();
      for (String table : TABLES) {
        contents.addAll(rows(connection, "SELECT * FROM " + table + " ORDER BY 1"));
      }
      if (first == null) {
        first = contents;
      } else if (!contents.equals(first)) {
        wrong.add("node " + node + " reads other rows than node 1");
      }
      for (String problem :
          rows(
              connection,
              "SELECT name, problem FROM gauss.store_check WHERE problem IS NOT NULL")) {
        wrong.add("node " + node + ": " + problem);
      }
      connection.close();
    }
    wrong.addAll(clients.wrong());
    wrong.addAll(workers.wrong());
    wrong.addAll(clients.checkHistory());
  }

  private static List<String> rows(ClientConnection connection, String query) {
    Answer answer = connection.query(query);
    if (!answer.succeeded()) {
      throw new AssertionError(query + ": " + answer.error() + " " + answer.message());
    }
    return answer.rows();
  }
}
