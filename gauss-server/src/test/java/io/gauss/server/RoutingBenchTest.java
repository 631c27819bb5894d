package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code ./gauss bench routing} with every load and every mode, in its smallest form: each commits
 * something and nothing fails. As in {@link BenchCommandTest}, a busy machine gets more seconds.
 */
@Timeout(900)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RoutingBenchTest {
  /** A line of a mode in a round: transactions per second, and failures in percent. */
  private static final Pattern TURN =
      Pattern.compile("round 1 ([a-z-]+) .* owned +(\\d+)/s .* failed ([0-9.]+|NaN) %.*");

  private static final int MOST_SECONDS = 16;

  private BenchedNode node;

  @BeforeAll
  void start(@TempDir Path data) {
    node = new BenchedNode(data);
  }

  @AfterAll
  void stop() {
    node.close();
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
    return node.bench("routing " + what, small);
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
