package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gauss.bench.sysbench.SysbenchWorkload;
import io.gauss.compute.node.CheckedNode;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every load of {@code ./gauss bench} runs, in its smallest form, and makes no errors; how fast it
 * is does not matter. One client each, since of several some are rolled back because of others.
 * TPC-C by itself has no small form; here it is one of the loads of {@code routing}. A second is
 * enough for some transactions, but on a machine that is busy: there it takes longer.
 */
@Timeout(900)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BenchCommandTest {
  @SuppressWarnings("unused") // by name
  private static final List<String> SYSBENCH = SysbenchWorkload.TESTS;

  /** A line of a mode in a round: transactions per second, and failures in percent. */
  private static final Pattern TURN =
      Pattern.compile("round 1 ([a-z-]+) .* owned +(\\d+)/s .* failed ([0-9.]+|NaN) %.*");

  private static final int MOST_SECONDS = 16;

  @TempDir private Path results;
  private ComputeNode node;

  @BeforeAll
  void start(@TempDir Path data) {
    node =
        ComputeNode.start(
            NodeSettings.load(data, 0, Map.of("pool.size", "16MB")), new SimpleMeterRegistry());
  }

  @AfterAll
  void stop() {
    CheckedNode.close(node);
  }

  private Commands.Outcome bench(String load, String... options) {
    List<String> arguments = new ArrayList<>(List.of("bench"));
    arguments.addAll(List.of(load.split(" ")));
    arguments.addAll(List.of("--port", Integer.toString(node.port())));
    arguments.addAll(Arrays.asList(options));
    return Commands.run(arguments.toArray(String[]::new));
  }

  private void runs(String load, String... options) throws IOException {
    int seconds = 1;
    while (run(seconds, load, options) == 0) {
      seconds *= 4;
      assertTrue(seconds <= MOST_SECONDS, "no transactions");
    }
  }

  /** How many transactions there were. */
  private long run(int seconds, String load, String... options) throws IOException {
    Path json = results.resolve("result.json");
    List<String> all = new ArrayList<>(List.of("--terminals", "1", "--seconds", "" + seconds));
    all.addAll(List.of("--warmup", "0", "--json", json.toString()));
    all.addAll(Arrays.asList(options));
    Commands.Outcome outcome = bench(load, all.toArray(String[]::new));
    assertEquals(0, outcome.exitCode(), outcome::error);
    JsonNode result = new ObjectMapper().readTree(json.toFile());
    assertEquals(0, result.get("latencyMs").get("all").get("failures").asInt(), result::toString);
    assertTrue(result.get("aborts").isEmpty(), result::toString);
    assertTrue(result.get("violations").isEmpty(), result::toString);
    if (OS.LINUX.isCurrentOs() && result.get("transactions").asLong() > 0) {
      assertEquals(List.of("compute", "cluster", "client"), result.findValuesAsText("role"));
    }
    return result.get("transactions").asLong();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "b", "c", "d", "e", "f"})
  void ycsbRuns(String workload) throws IOException {
    runs("ycsb", "--workload", workload, "--records", "500");
  }

  @ParameterizedTest
  @FieldSource("SYSBENCH")
  void sysbenchRuns(String test) throws IOException {
    runs("sysbench", "--test", test, "--tables", "2", "--table-size", "500");
  }

  @Test
  void tpcbRuns() throws IOException {
    runs("tpcb", "--branches", "2", "--accounts", "50");
  }

  /** A node that is alone forwards nothing: there is no difference, but both have their turns. */
  @ParameterizedTest
  @ValueSource(strings = {"select-prepared", "select-simple", "tpcb", "tpcc"})
  void everyLoadOfTheComparisonOfForwardingRuns(String load) throws IOException {
    Path json = results.resolve("reroute.json");
    String small =
        "--clients 1 --rounds 1 --seconds 1 --settle 0 --warmup 0 --tables 1 --table-size 50"
            + " --branches 2 --accounts 50 --warehouses 1 --items 100 --loads "
            + load
            + " --json "
            + json;
    Commands.Outcome outcome = bench("reroute", small.split(" "));
    assertEquals(0, outcome.exitCode(), outcome::error);
    JsonNode turns = new ObjectMapper().readTree(json.toFile()).get(0).get("turns");
    assertEquals(2, turns.size());
    assertEquals(
        List.of("false", "true"),
        turns.findValues("reroute").stream().map(JsonNode::asText).toList());
  }

  @Test
  void anUnknownLoadOfForwardingIsRefused() {
    assertTrue(bench("reroute", "--loads", "tpch").error().contains("select-simple"));
  }

  private Commands.Outcome routing(String what, String... options) {
    List<String> small = new ArrayList<>();
    for (String each :
        ("--clients 1 --settle 0 --settle-most 0 --learn 0 --learn-most 0 --warehouses 1"
                + " --items 100 --records 500 --ranges 10 --members 600 --customers 500")
            .split(" ")) {
      small.add(each);
    }
    small.addAll(Arrays.asList(options));
    return bench("routing " + what, small.toArray(String[]::new));
  }

  /** Each of the modes has its turn, in their order, commits something and fails nowhere. */
  private void compares(String load, String modes) {
    int seconds = 1;
    while (!haveTurns(load, modes, seconds)) {
      seconds *= 4;
      assertTrue(seconds <= MOST_SECONDS, "no transactions");
    }
  }

  /** Whether each committed something. */
  private boolean haveTurns(String load, String modes, int seconds) {
    Commands.Outcome outcome =
        routing(
            "compare",
            "--loads",
            load,
            "--modes",
            modes,
            "--rounds",
            "1",
            "--seconds",
            "" + seconds);
    assertEquals(0, outcome.exitCode(), outcome::error);
    List<String> turns = new ArrayList<>();
    boolean eachCommitted = true;
    for (String line : outcome.out()) {
      Matcher turn = TURN.matcher(line);
      if (turn.matches()) {
        turns.add(turn.group(1));
        boolean committed = Integer.parseInt(turn.group(2)) > 0;
        eachCommitted &= committed;
        assertTrue(!committed || Double.parseDouble(turn.group(3)) == 0, line);
      }
    }
    assertEquals(List.of(modes.split(",")), turns);
    return eachCommitted;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tpcc",
        "ycsb",
        "dealt",
        "shuffled",
        "ids",
        "smallbank",
        "tenants-11",
        "hot-tenant",
        "orm",
        "ascending"
      })
  void everyLoadOfTheRoutingComparisonRuns(String load) {
    compares(load, "random");
  }

  /** DJL's model is left out: its native libraries take longer to load than all of this. */
  @Test
  void everyModeOfTheRoutingComparisonHasItsTurn() {
    compares(
        "ycsb",
        "random,sticky,table,owners,network,without-network,model-java,oracle,oracle-owners");
  }

  /** A node that is alone learns nothing, and there is nothing to judge. */
  @Test
  void theAblationOfANodeThatLearnsNothingIsEmpty() {
    Commands.Outcome outcome = routing("ablation", "--loads", "ycsb", "--seconds", "1");
    assertEquals(0, outcome.exitCode(), outcome::error);
    assertEquals("| ycsb-hot-ranges |", outcome.out().getLast());
  }

  @Test
  void aNodeThatDoesNotLeaveIsNotWaitedForForEver() {
    Commands.Outcome outcome =
        routing("leave", "--workload", "ycsb", "--mode", "table", "--wait", "1", "--seconds", "1");
    assertEquals(4, outcome.exitCode(), outcome::error);
    assertTrue(outcome.out().contains("no node has left within 1 s"), outcome.out()::toString);
  }

  @Test
  void loadsThatDoNotExistAreRefused() {
    assertTrue(routing("compare", "--loads", "tenants-0").error().contains("tenants-11"));
  }

  /** A node that is alone counts no transfers, so that nothing tells when the load is back. */
  @Test
  void aHotSpotIsMovedAndFollowedForAsLongAsWanted() {
    Commands.Outcome outcome = routing("drift", "--mode", "table", "--before", "1", "--most", "1");
    assertEquals(4, outcome.exitCode(), outcome::error);
    assertEquals("not back after 1 s", outcome.out().getLast());
  }

  @Test
  void aNodeThatDoesNotJoinIsNotWaitedForForEver() {
    Commands.Outcome outcome =
        routing("join", "--workload", "ycsb", "--mode", "table", "--wait", "1");
    assertEquals(4, outcome.exitCode(), outcome::error);
    assertTrue(outcome.out().contains("no node has joined within 1 s"), outcome.out()::toString);
  }
}
