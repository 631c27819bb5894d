package io.gauss.bench.model;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Predicts what a load costs and reaches on a cluster: operations of a transaction follow from the
 * load and the number of nodes, their processor time from the calibration, throughput and response
 * from a closed queueing network. How many commits share an append depends on the throughput, so
 * both are repeated until they agree.
 */
final class ClusterModel {
  /** Calls to each peer when nothing is committed: three in nine tenths of 300 ms. */
  private static final double LEASE_CALLS = 11.1;

  private static final int ASK_OWNER_SEND = 3; // messages one after another in a transfer
  private static final int APPEND_MESSAGES = 4; // to the leader, to a follower, and back

  /**
   * Share of an append's processor time at storage nodes that its writer waits for: an append alone
   * on warm replicas takes 0.7 ms, forces included, of 1.1 ms processor time ({@code RaftBench}).
   */
  private static final double APPEND_CPU_WAITED_FOR = 0.4;

  private static final String DISKS = "disks";
  private static final String PROCESSORS = "processors";
  private static final int REPLICAS = 3;
  private static final double PAGE_BYTES = 8500;
  private static final double LOG_BYTES = 4000;
  private static final double LEAST_PROCESSORS = 0.05;
  private static final double MS = 1000;
  private static final int ROUNDS = 400;
  private static final double CLOSE = 1e-6;

  /**
   * How much longer what others wait for takes at nodes and disks than when these have nothing else
   * to do. What compute nodes do for appends and transfers is not stretched: threads that have
   * slept, as those of the transport, get a processor before those that run statements. On one
   * machine everything is stretched alike.
   */
  private record Stretch(double compute, double memory, double storage, double disks) {
    static final Stretch NONE = all(1);

    static Stretch all(double stretch) {
      return new Stretch(stretch, stretch, stretch, stretch);
    }

    /** A part of the way to another one. */
    Stretch towards(Stretch other, double part) {
      return new Stretch(
          compute + part * (other.compute - compute),
          memory + part * (other.memory - memory),
          storage + part * (other.storage - storage),
          disks + part * (other.disks - disks));
    }
  }

  private final Calibration calibration;
  private final Load load;
  private final Calibration.OwnCosts own;
  private final Cluster cluster;
  private final double transfers;
  private final double pageReads;

  /**
   * @param astray share of the transactions that run on another node than where they belong
   * @param pageReads pages that a transaction reads from page stores, which depends on the room for
   *     pages and is not predicted
   */
  ClusterModel(
      Calibration calibration, Load load, Cluster cluster, double astray, double pageReads) {
    this.calibration = calibration;
    this.load = load;
    this.cluster = cluster;
    this.pageReads = pageReads;
    own = calibration.own(load.measuredAs());
    transfers = own.transferFactor() * load.transfers(cluster.compute(), astray);
  }

  /** With nothing astray and all pages in memory. */
  static Prediction predict(Calibration calibration, Load load, Cluster cluster) {
    return new ClusterModel(calibration, load, cluster, 0, 0).predict();
  }

  /** Throughput and what goes with it. */
  Prediction predict() {
    double rate = MS / (own.computeMs() + 1);
    Stretch stretch = Stretch.NONE;
    double response = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<Station> stations = stations(counts(rate, stretch), rate, stretch);
      MeanValueAnalysis.Result result =
          MeanValueAnalysis.solve(stations, cluster.clients(), cluster.thinkMs());
      response = result.responseMs();
      double next = result.transactionsPerSecond();
      double change = Math.abs(next - rate) / next;
      // More throughput means fewer appends, and these more throughput: ever shorter steps.
      double part = 1 / (2 + round / 10.0);
      rate += part * (next - rate);
      stretch = stretch.towards(stretch(stations, result.stationsMs()), part);
      if (change < CLOSE) {
        break;
      }
    }
    return prediction(rate, response, stretch);
  }

  private Stretch stretch(List<Station> stations, List<Double> times) {
    return cluster.oneMachine()
        ? Stretch.all(stretch(PROCESSORS, stations, times))
        : new Stretch(
            stretch(Tier.COMPUTE.role(), stations, times),
            stretch(Tier.MEMORY.role(), stations, times),
            stretch(Tier.STORAGE.role(), stations, times),
            stretch(DISKS, stations, times));
  }

  private static double stretch(String name, List<Station> stations, List<Double> times) {
    for (int i = 0; i < stations.size(); i++) {
      Station station = stations.get(i);
      if (station.name().equals(name) && station.demandMs() > 0) {
        return times.get(i) / station.demandMs();
      }
    }
    return 1;
  }

  /** What a transaction costs at a throughput that is known, as where others use the machine. */
  Prediction at(double transactionsPerSecond) {
    double rate = transactionsPerSecond;
    double response = cluster.clients() * MS / rate - cluster.thinkMs();
    double stretch = 1;
    for (int round = 0; round < ROUNDS; round++) {
      double alone = background() / rate;
      for (Station station : stations(counts(rate, Stretch.all(stretch)), rate, Stretch.NONE)) {
        alone += load.hot().stream().anyMatch(station::is) ? 0 : station.demandMs();
      }
      stretch += (Math.max(1, response / alone) - stretch) / 2;
    }
    return prediction(rate, response, Stretch.all(stretch));
  }

  private Prediction prediction(double rate, double response, Stretch stretch) {
    Counts counts = counts(rate, stretch);
    Map<Tier, Double> cpu = new EnumMap<>(Tier.class);
    for (Tier tier : Tier.values()) {
      cpu.put(tier, demand(tier, counts) + background(tier) / rate);
    }
    double messages = 0;
    for (Tier tier : Tier.values()) {
      for (Operation operation : tier.operations()) {
        messages += calibration.messages(tier, operation) * number(operation, tier, counts, rate);
      }
    }
    return new Prediction(
        rate, response, cpu, own.clientMs(), counts, messages, stations(counts, rate, stretch));
  }

  // ---------------------------------------------------------------- operations

  private Counts counts(double rate, Stretch stretch) {
    int nodes = cluster.compute();
    double append = Math.max(cluster.network().paceMs(), appendMs(stretch)) / MS;
    double appends = nodes * GroupCommit.appends(requestsOfNode(rate), append) / rate;
    double calls = Math.max(appends * rate / nodes, LEASE_CALLS);
    return new Counts(
        transfers,
        appends,
        2.0 * nodes * (nodes - 1) * calls / rate,
        pageReads,
        nodes == 1 ? 0 : load.writing());
  }

  /** What one compute node wants to be durable, a second. */
  double requestsOfNode(double rate) {
    return (load.writing() + calibration.appendsPerTransfer() * transfers)
        * rate
        / cluster.compute();
  }

  /** An append when everything takes so many times longer than alone. */
  double appendMs(double stretch) {
    return appendMs(Stretch.all(stretch));
  }

  private double appendMs(Stretch stretch) {
    Cluster.Network network = cluster.network();
    return APPEND_MESSAGES * network.oneWayMs()
        + network.forceMs() * stretch.disks()
        + calibration.cpuMs(Tier.COMPUTE, Operation.APPEND)
        + APPEND_CPU_WAITED_FOR
            * calibration.cpuMs(Tier.STORAGE, Operation.APPEND)
            * stretch.storage();
  }

  private double transferMs(Stretch stretch) {
    double compute = cluster.oneMachine() ? stretch.compute() : 1;
    return ASK_OWNER_SEND * cluster.network().oneWayMs()
        + calibration.cpuMs(Tier.COMPUTE, Operation.TRANSFER) * compute
        + calibration.cpuMs(Tier.MEMORY, Operation.TRANSFER) * stretch.memory();
  }

  /** Processor time of a transaction at a role, without the background. */
  private double demand(Tier tier, Counts counts) {
    double ms = tier == Tier.COMPUTE ? own.computeMs() : 0;
    for (Operation operation : tier.operations()) {
      ms += counts.of(operation) * calibration.cpuMs(tier, operation);
    }
    return ms;
  }

  private double number(Operation operation, Tier tier, Counts counts, double rate) {
    return switch (operation) {
      case NODE_SECOND -> cluster.nodes(tier) / rate;
      default -> counts.of(operation);
    };
  }

  private double background() {
    double ms = 0;
    for (Tier tier : Tier.values()) {
      ms += background(tier);
    }
    return ms;
  }

  /** Processor time that a role's nodes use in a second without any transaction, ms. */
  private double background(Tier tier) {
    return cluster.nodes(tier) * calibration.cpuMs(tier, Operation.NODE_SECOND);
  }

  // ---------------------------------------------------------------- stations

  private List<Station> stations(Counts counts, double rate, Stretch stretch) {
    List<Station> stations = new ArrayList<>();
    if (cluster.oneMachine()) {
      double all = own.clientMs();
      for (Tier tier : Tier.values()) {
        all += demand(tier, counts);
      }
      stations.add(new Station(PROCESSORS, 1, left(cluster.processors(), background()), all));
    } else {
      for (Tier tier : Tier.values()) {
        int nodes = cluster.nodes(tier);
        stations.add(
            new Station(
                tier.role(),
                nodes,
                left(cluster.processors(), background(tier) / nodes),
                demand(tier, counts)));
      }
      double bytes = counts.transfers() * PAGE_BYTES + load.writing() * LOG_BYTES;
      stations.add(
          new Station(
              "network", cluster.compute(), 1, bytes * 8 / (cluster.network().gigabits() * 1e6)));
    }
    stations.add(
        new Station(
            DISKS,
            1,
            Math.max(1, (double) cluster.storage() / REPLICAS),
            counts.appends() * cluster.network().forceMs()));
    stations.add(Station.delay("waiting", waiting(counts, rate, stretch)));
    for (HotSpot spot : load.hot()) {
      stations.add(new Station(spot.name(), spot.count(), 1, held(spot, counts, stretch)));
    }
    return stations;
  }

  private static double left(double processors, double backgroundMs) {
    return Math.max(LEAST_PROCESSORS, processors - backgroundMs / MS);
  }

  /** Messages that are under way, and the append before one's own. */
  private double waiting(Counts counts, double rate, Stretch stretch) {
    double oneWay = cluster.network().oneWayMs();
    double append = Math.max(cluster.network().paceMs(), appendMs(stretch)) / MS;
    double before = GroupCommit.waiting(requestsOfNode(rate), append) - append;
    return load.statements() * 2 * oneWay
        + counts.transfers() * ASK_OWNER_SEND * oneWay
        + load.writing() * (APPEND_MESSAGES * oneWay + before * MS);
  }

  /** How long a transaction keeps hot spots of a kind. */
  private double held(HotSpot spot, Counts counts, Stretch stretch) {
    double comes = transferMs(stretch);
    if (spot.statementsHeld() == 0) {
      PageClass pages = load.pages().getFirst();
      double each = pages.transfers(cluster.compute(), Load.everywhere(cluster.compute()));
      return spot.visits() * each / (pages.reads() + pages.writes()) * comes;
    }
    // The row is free when its transaction commits, and its page leaves when that is durable.
    double statement =
        2 * cluster.network().oneWayMs()
            + (own.computeMs() * stretch.compute() + counts.transfers() * comes)
                / load.statements();
    return spot.visits()
        * (spot.statementsHeld() * statement
            + (load.spread() ? Load.everywhere(cluster.compute()) : 0)
                * (appendMs(stretch) + comes));
  }

  /**
   * What a node wanted to be durable, a second, when it made so many appends.
   *
   * @return nothing when one append followed the other, which does not tell
   */
  static OptionalDouble requests(double appends, double appendSeconds) {
    // Above this rate an append follows the other, and how much each takes with it cannot be seen.
    double most = 1 / appendSeconds;
    if (appends >= 0.98 * most) {
      return OptionalDouble.empty();
    }
    double low = appends;
    double high = 100 * most;
    for (int i = 0; i < 100; i++) {
      double middle = (low + high) / 2;
      if (GroupCommit.appends(middle, appendSeconds) < appends) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return OptionalDouble.of(low);
  }
}
