package io.gauss.simulation.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.gauss.simulation.cluster.SeedRun.Result;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Whole clusters to which anything happens, each decided by its seed. */
@Isolated
class SeedsTest {
  private static final int SEEDS = 300;
  private static final int MANY = 20_000;
  private static final int REPEATED = 3;
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(45);

  /** New ones each time, until the time is up. */
  @Test
  void newSeedsPass() {
    long from = Long.getLong("gauss.seed", Math.floorMod(System.nanoTime(), 1_000_000_000L));
    System.out.println("SeedsTest gauss.seed=" + from);
    long start = System.nanoTime();
    int ran = 0;
    int committed = 0;
    while (ran < SEEDS && System.nanoTime() - start < MAX_NANOS) {
      committed += pass(from + ran).committed();
      ran++;
    }
    System.out.println(ran + " seeds, " + committed + " transactions committed");
    assertTrue(committed > 0);
  }

  @Test
  @Tag("long")
  void manySeedsPass() {
    long from = Long.getLong("gauss.seed", Math.floorMod(System.nanoTime(), 1_000_000_000L));
    System.out.println("SeedsTest gauss.seed=" + from);
    for (long seed = from; seed < from + MANY; seed++) {
      pass(seed);
    }
  }

  private static Result pass(long seed) {
    Result result = SeedRun.run(seed);
    if (!result.wrong().isEmpty()) {
      fail(
          "./gauss simulate --seed %d, with faults %s%n%s%n%s"
              .formatted(
                  seed,
                  result.faults(),
                  String.join("\n", last(result.events())),
                  String.join("\n", result.wrong())));
    }
    return result;
  }

  private static List<String> last(List<String> events) {
    return events.subList(Math.max(0, events.size() - 200), events.size());
  }

  /**
   * Whatever ran before them, in this JVM and in new ones: each orders unmodifiable sets in its own
   * way, and one of them compiles and collects garbage otherwise.
   */
  @Test
  void seedsRepeatExactly() throws Exception {
    long from = Long.getLong("gauss.seed", Math.floorMod(System.nanoTime(), 1_000_000_000L));
    System.out.println("SeedsTest gauss.seed=" + from);
    Process likeThis = inAnotherJvm(from, List.of());
    Process otherwise =
        inAnotherJvm(from, List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmn64m"));
    String first = histories(from);
    assertEquals(first, histories(from));
    assertEquals(first, histories(likeThis));
    assertEquals(first, histories(otherwise));
  }

  private static String histories(long from) {
    long histories = 0;
    for (long seed = from; seed < from + REPEATED; seed++) {
      histories = 31 * histories + SeedRun.run(seed).hash();
    }
    return "%016x".formatted(histories);
  }

  private static Process inAnotherJvm(long from, List<String> options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(Simulate.class.getName());
    command.addAll(List.of("--seeds", "" + REPEATED, "--from", "" + from));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static String histories(Process other) throws Exception {
    String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, other.waitFor(), said);
    Matcher histories = Pattern.compile("all histories (\\w+)").matcher(said);
    assertTrue(histories.find(), said);
    return histories.group(1);
  }
}
