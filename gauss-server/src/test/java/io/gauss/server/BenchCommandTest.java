package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gauss.bench.sysbench.SysbenchWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
 * TPC-C by itself has no small form; {@link RoutingBenchTest} has it. A second is enough for some
 * transactions, but on a machine that is busy: there it takes longer.
 */
@Timeout(900)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BenchCommandTest {
  @SuppressWarnings("unused") // by name
  private static final List<String> SYSBENCH = SysbenchWorkload.TESTS;

  private static final int MOST_SECONDS = 16;

  @TempDir private Path results;
  private BenchedNode node;

  @BeforeAll
  void start(@TempDir Path data) {
    node = new BenchedNode(data);
  }

  @AfterAll
  void stop() {
    node.close();
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
    Commands.Outcome outcome = node.bench(load, all);
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
  @ValueSource(strings = {"select-prepared", "select-simple", "tpcb", "tpcc", "ids"})
  void everyLoadOfTheComparisonOfForwardingRuns(String load) throws IOException {
    Path json = results.resolve("reroute.json");
    String small =
        "--clients 1 --rounds 1 --seconds 1 --settle 0 --warmup 0 --tables 1 --table-size 50"
            + " --branches 2 --accounts 50 --warehouses 1 --items 100 --ids 100 --loads "
            + load
            + " --json "
            + json;
    Commands.Outcome outcome = node.bench("reroute", List.of(small.split(" ")));
    assertEquals(0, outcome.exitCode(), outcome::error);
    JsonNode turns = new ObjectMapper().readTree(json.toFile()).get(0).get("turns");
    assertEquals(2, turns.size());
    assertEquals(
        List.of("false", "true"),
        turns.findValues("reroute").stream().map(JsonNode::asText).toList());
  }

  @Test
  void anUnknownLoadOfForwardingIsRefused() {
    assertTrue(node.bench("reroute", List.of("--loads", "tpch")).error().contains("select-simple"));
  }
}
