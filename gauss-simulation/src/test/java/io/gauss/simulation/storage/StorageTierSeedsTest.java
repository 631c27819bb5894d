package io.gauss.simulation.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.ClusterKey;
import io.gauss.simulation.SimulatedNetwork;
import io.gauss.simulation.SimulatedNode;
import io.gauss.simulation.Simulation;
import io.gauss.storage.api.StorageAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Three of the product's storage nodes in a simulation, with a writer of pages, under faults of all
 * kinds: what was acknowledged is read back from every node, and a seed repeats.
 */
@Timeout(300)
@Isolated
class StorageTierSeedsTest {
  private static final int SEEDS = Integer.getInteger("gauss.seeds", 10);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private static final ClusterKey KEY =
      new ClusterKey(new UUID(3, 4), "only for simulated clusters".getBytes(UTF_8));

  private static final List<StorageAddress> ADDRESSES =
      IntStream.rangeClosed(201, 203)
          .mapToObj(node -> new StorageAddress(node, "simulated-" + node, 7001, 7002))
          .toList();

  /** A cluster of storage nodes within a simulation. */
  private static final class Tier {
    final Simulation simulation;
    final SimulatedNetwork network;
    final SimulatedStorage storage;
    final Map<Integer, SimulatedStorageNode> nodes = new TreeMap<>();
    final Map<Integer, SimulatedNode> processes = new TreeMap<>();
    int lives;

    Tier(Simulation simulation) {
      this.simulation = simulation;
      this.network = new SimulatedNetwork(simulation, new SimulatedNetwork.Delay(20_000, 200_000));
      this.storage =
          new SimulatedStorage(
              ADDRESSES,
              KEY,
              Map.of(
                  "pages.redo-memory",
                  "16MB",
                  "checkpoint.seconds",
                  "2",
                  "cluster.lease",
                  "10",
                  "log.keep", // with 0, a node that was away fetches pages
                  simulation.seed() % 2 == 0 ? "0" : "1GB"),
              network::reaches,
              LogFaults.none());
      ADDRESSES.forEach(
          address ->
              nodes.put(
                  address.node(),
                  new SimulatedStorageNode(storage, address.node(), network::transport)));
    }

    void start(int node) {
      SimulatedNode process = simulation.node("storage-" + node + "/" + ++lives);
      processes.put(node, process);
      process.start("main", nodes.get(node)::start);
    }

    void kill(int node, boolean powerLost) {
      processes.get(node).kill();
      network.gone(node);
      if (powerLost) {
        nodes.get(node).losePower();
      } else {
        nodes.get(node).kill();
      }
      nodes.get(node).free();
    }

    void pause(int node, long nanos) {
      processes.get(node).pause();
      nodes.get(node).pause();
      Environment.parkNanos(nanos);
      nodes.get(node).resume();
      processes.get(node).resume();
    }

    void awaitWell() {
      await(
          "all storage nodes are well",
          () -> nodes.values().stream().allMatch(n -> n.isRunning() && isWell(n)));
    }

    private static boolean isWell(SimulatedStorageNode node) {
      try {
        return node.node().problems().isEmpty();
      } catch (GaussException e) {
        return false; // a group is being added
      }
    }

    void await(String what, BooleanSupplier condition) {
      long start = Environment.nanoTime();
      while (!condition.getAsBoolean()) {
        if (Environment.nanoTime() - start > 3 * MINUTE) {
          throw new AssertionError("waited in vain: " + what + problems());
        }
        Environment.parkNanos(20_000_000);
      }
    }

    private String problems() {
      StringBuilder text = new StringBuilder();
      nodes.forEach(
          (number, node) ->
              text.append("; ")
                  .append(number)
                  .append(": ")
                  .append(node.isRunning() ? node.node().problems() : "does not run"));
      return text.toString();
    }
  }

  /** What a writer knows to be durable. */
  private static final class Written {
    final List<Long> lsns = new ArrayList<>();
    boolean ended;
    Throwable failure;
  }

  private static String run(long seed) {
    Simulation simulation = new Simulation(seed);
    simulation.run(() -> play(simulation));
    return simulation.steps() + " steps in " + simulation.elapsed();
  }

  private static void play(Simulation simulation) throws Exception {
    Tier tier = new Tier(simulation);
    ADDRESSES.forEach(address -> tier.start(address.node()));
    tier.awaitWell();
    tier.storage.faults(LogFaults.some());
    Written written = new Written();
    SimulatedNode process = simulation.node("compute");
    process.start("writer", () -> write(tier, written));
    RandomGenerator random = Environment.random();
    while (!written.ended) {
      int node = 201 + random.nextInt(3);
      switch (random.nextInt(8)) {
        case 0, 1 -> {
          tier.kill(node, random.nextBoolean());
          Environment.parkNanos(random.nextLong(4_000_000_000L));
          tier.start(node);
        }
        case 2 -> {
          for (int each = 201; each <= 203; each++) {
            tier.kill(each, true);
          }
          for (int each = 201; each <= 203; each++) {
            tier.start(each);
          }
        }
        case 3 -> tier.pause(node, random.nextLong(3_000_000_000L));
        case 4 -> {
          int other = 201 + (node - 200) % 3;
          tier.network.cut(node, other);
          Environment.parkNanos(random.nextLong(3_000_000_000L));
          tier.network.heal();
        }
        case 5 -> {
          tier.storage.full(node, true);
          Environment.parkNanos(random.nextLong(3_000_000_000L));
          tier.storage.full(node, false);
        }
        case 6 -> {
          tier.await("node " + node, () -> tier.nodes.get(node).isRunning());
          if (random.nextBoolean()) {
            tier.storage.groups().failLogs(node);
          } else {
            tier.storage.groups().endMembers(node);
          }
          tier.await("it to end", () -> tier.nodes.get(node).node().lost().isDone());
          tier.kill(node, false);
          tier.start(node);
        }
        default -> tier.network.disconnect(node);
      }
      if (random.nextInt(3) == 0) {
        tier.awaitWell();
      }
      Environment.parkNanos(random.nextLong(500_000_000));
    }
    tier.storage.faults(LogFaults.none());
    tier.awaitWell();
    if (written.failure != null) {
      throw new AssertionError("the writer failed", written.failure);
    }
    assertTrue(written.lsns.size() > 0);
    for (int node = 201; node <= 203; node++) {
      tier.kill(node, true);
      tier.start(node);
      tier.awaitWell();
    }
    Written read = new Written();
    simulation.node("reader").start("reader", () -> read(tier, written, read));
    tier.await("all pages are read", () -> read.ended);
    if (read.failure != null) {
      throw new AssertionError("the reader failed", read.failure);
    }
    process.kill();
    ADDRESSES.forEach(address -> tier.kill(address.node(), false));
    tier.storage.close();
  }

  private static void write(Tier tier, Written written) {
    try (ComputeClient compute = new ComputeClient(1, ADDRESSES, KEY, tier.network::transport)) {
      for (int page = 0; page < 40; page++) {
        written.lsns.add(compute.write(page));
        Environment.parkNanos(Environment.random().nextLong(300_000_000));
        int earlier = Environment.random().nextInt(page + 1);
        assertEquals(written.lsns.get(earlier), patiently(compute, earlier));
      }
    } catch (Throwable e) {
      written.failure = e;
    }
    written.ended = true;
  }

  private static void read(Tier tier, Written written, Written read) {
    try (ComputeClient compute = new ComputeClient(2, ADDRESSES, KEY, tier.network::transport)) {
      for (int page = 0; page < written.lsns.size(); page++) {
        int wanted = page;
        tier.await("page " + page, () -> isRead(compute, wanted, written.lsns.get(wanted)));
      }
    } catch (Throwable e) {
      read.failure = e;
    }
    read.ended = true;
  }

  private static boolean isRead(ComputeClient compute, int page, long lsn) {
    try {
      return compute.readPresent(page) == lsn;
    } catch (ExecutionException | TimeoutException | InterruptedException e) {
      return false;
    }
  }

  /** Reads fail while no storage node has what is asked for. */
  private static long patiently(ComputeClient compute, int page) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        return compute.read(page);
      } catch (ExecutionException e) {
        if (attempt == 20) {
          throw e;
        }
        Environment.parkNanos(500_000_000);
      }
    }
  }

  @Test
  void whatWasAcknowledgedIsReadBackWhateverHappens() {
    long first = Long.getLong("gauss.seed", 1);
    for (long seed = first; seed < first + SEEDS; seed++) {
      try {
        run(seed);
      } catch (AssertionError e) {
        throw new AssertionError("gauss.seed=" + seed + ": " + e, e);
      }
    }
  }

  @Test
  void aSeedRepeats() {
    assertEquals(run(77), run(77));
  }
}
