package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compute and memory nodes that fail while clients of three compute nodes move money between the
 * same accounts: no acknowledged transfer is lost, no refused one is there, and the others
 * continue.
 */
class ComputeFaultsTest {
  private static final List<Integer> COMPUTES = List.of(1, 2, 3);
  private static final int WRITERS = 6;
  private static final int STEADY = 100;
  private static final int MOST_SECONDS = 64;

  @TempDir private Path directory;
  private ClusterProcesses cluster;
  private TransferLoad load;
  private final long seed = Long.getLong("gauss.seed", System.nanoTime());

  @BeforeEach
  void start(TestInfo test) throws Exception {
    System.err.println("ComputeFaultsTest gauss.seed=" + seed);
    cluster =
        new ClusterProcesses(directory, Map.of("pool.size", "32MB"), Map.of(), COMPUTES.size(), 2);
    if (test.getTags().contains("long")) { // some of them are of leases that run out
      cluster.haveUsualLease();
    }
    cluster.start();
    load = new TransferLoad(cluster, COMPUTES);
    load.createTables();
    load.start(WRITERS, seed);
    load.progress().await(STEADY);
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  /** Everybody is told the same of what is there, by each node. */
  private void check() throws Exception {
    load.progress().await(STEADY);
    load.close();
    System.err.println("ComputeFaultsTest: " + load.summary());
    for (int node : COMPUTES) {
      load.check(node);
    }
  }

  private void went(String what) {
    System.err.println(
        "ComputeFaultsTest: longest gap after "
            + what
            + ": "
            + load.progress().longestGapMillis()
            + " ms");
  }

  @Test
  void aComputeNodeThatIsKilledComesBack() throws Exception {
    killAndStart(List.of(1));
    check();
    if (OS.LINUX.isCurrentOs()) {
      everyRoleHasItsCosts();
    }
  }

  /** A cluster of processes is there anyway: the benchmark sees what all of its nodes do. */
  private void everyRoleHasItsCosts() throws IOException {
    JsonNode result = null;
    for (int seconds = 1; result == null || result.get("transactions").asInt() < 10; seconds *= 2) {
      assertTrue(seconds <= MOST_SECONDS, "hardly any transactions");
      result = benchmark(seconds);
    }
    Map<String, JsonNode> costs = new LinkedHashMap<>();
    result.get("costs").forEach(cost -> costs.put(cost.get("role").asText(), cost));
    assertEquals(
        List.of("compute", "memory", "storage", "cluster", "client"), List.copyOf(costs.keySet()));
    for (String role : List.of("compute", "memory", "storage", "cluster")) {
      for (String figure : List.of("cpuMillis", "messages", "threadSwitches", "readsAndWrites")) {
        assertTrue(costs.get(role).get(figure).asDouble() > 0, role + ": " + figure);
      }
    }
    assertEquals(8, costs.get("cluster").get("nodes").asInt());
    assertTrue(costs.get("compute").get("pageTransfers").asDouble() > 0);
    assertTrue(costs.get("storage").get("logForces").asDouble() > 0);
    assertTrue(costs.get("storage").get("messagesByType").get("raft.entries").asDouble() > 0);
  }

  private JsonNode benchmark(int seconds) throws IOException {
    Path json = directory.resolve("result.json");
    String ports =
        COMPUTES.stream().map(cluster::port).map(String::valueOf).collect(Collectors.joining(","));
    Commands.Outcome outcome =
        Commands.run(
            ("bench tpcb --branches 2 --accounts 50 --terminals 3 --warmup 0 --port %s --seconds %d"
                    + " --json %s")
                .formatted(ports, seconds, json)
                .split(" "));
    assertEquals(0, outcome.exitCode(), outcome::error);
    return new ObjectMapper().readTree(json.toFile());
  }

  @Test
  @Tag("long")
  void computeNodesThatAreKilledOneAfterTheOtherComeBack() throws Exception {
    for (int round = Integer.getInteger("gauss.rounds", 3); round > 0; round--) {
      killAndStart(List.of(2, 1, 3));
    }
    check();
  }

  private void killAndStart(List<Integer> nodes) throws Exception {
    for (int node : nodes) {
      load.progress().reset();
      cluster.killCompute(node);
      load.progress().await(STEADY);
      went("a kill of compute node " + node);
      cluster.startCompute(node);
      load.progress().await(STEADY);
    }
  }

  @Test
  @Tag("long")
  void aComputeNodeThatStandsStillForLongerThanItsLeaseDoesNotWriteAfterwards() throws Exception {
    load.progress().reset();
    cluster.pauseCompute(2);
    TimeUnit.SECONDS.sleep(1);
    went("a second's pause");
    load.progress().await(STEADY);
    TimeUnit.SECONDS.sleep(6);
    cluster.resumeCompute(2);
    went("a pause of seven seconds");
    check();
  }

  @Test
  @Tag("long")
  void memoryNodesThatAreKilledAreReplacedByTheOthers() throws Exception {
    for (int node : List.of(101, 102)) {
      load.progress().reset();
      cluster.killMemory(node);
      load.progress().await(STEADY);
      went("a kill of memory node " + node);
      cluster.startMemory(node);
      load.progress().await(STEADY);
    }
    check();
  }
}
