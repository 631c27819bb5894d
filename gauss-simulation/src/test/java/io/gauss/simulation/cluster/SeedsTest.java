package io.gauss.simulation.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.simulation.cluster.SeedRun.Result;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Whole clusters to which anything happens, each decided by its seed. */
@Isolated
class SeedsTest {
  private static final int SEEDS = 300;
  private static final int MANY = 20_000;
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(45);

  /**
   * How many seeds may fail that pass when they run alone. Such a failure is one of the simulation:
   * something outlives a run that it should not. Known to happen about once in a hundred seeds.
   */
  private static final int UNREPEATED = 2;

  /** Known: in about one of four new JVMs, which are slow at first, a seed goes another way. */
  private static final int OTHER_JVMS = 3;

  private int unrepeated;

  /** New ones each time, until the time is up. */
  @Test
  void newSeedsPass() throws Exception {
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
  void manySeedsPass() throws Exception {
    long from = Long.getLong("gauss.seed", Math.floorMod(System.nanoTime(), 1_000_000_000L));
    System.out.println("SeedsTest gauss.seed=" + from);
    for (long seed = from; seed < from + MANY; seed++) {
      pass(seed);
    }
  }

  private Result pass(long seed) throws Exception {
    Result result = SeedRun.run(seed);
    if (!result.wrong().isEmpty()) {
      String failure =
          "./gauss simulate --seed %d, with faults %s%n%s%n%s"
              .formatted(
                  seed,
                  result.faults(),
                  String.join("\n", last(result.events())),
                  String.join("\n", result.wrong()));
      OtherRun alone = inAnotherJvm(seed);
      assertEquals(0, alone.exitCode(), () -> failure + "\nalone: " + alone.said());
      unrepeated++;
      System.out.println("passes alone: " + failure);
      assertTrue(unrepeated <= UNREPEATED, failure);
    }
    return result;
  }

  private static List<String> last(List<String> events) {
    return events.subList(Math.max(0, events.size() - 200), events.size());
  }

  /** Whatever ran before it, in this JVM and in another one. */
  @Test
  void aSeedRepeatsExactly() throws Exception {
    long first = SeedRun.run(2).hash();
    SeedRun.run(4);
    assertEquals(first, SeedRun.run(2).hash());
    List<Long> others = new ArrayList<>();
    while (!others.contains(first) && others.size() < OTHER_JVMS) {
      OtherRun other = inAnotherJvm(2);
      assertEquals(0, other.exitCode(), other.said());
      String last = other.said().lines().toList().getLast();
      others.add(Long.parseUnsignedLong(last.substring(last.lastIndexOf(' ') + 1), 16));
    }
    System.out.println("hash " + first + ", in other JVMs " + others);
    assertTrue(others.contains(first), others.toString());
  }

  private record OtherRun(int exitCode, String said) {}

  private static OtherRun inAnotherJvm(long seed) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            Simulate.class.getName(),
            "--seed",
            Long.toString(seed)));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new OtherRun(process.waitFor(), said);
  }
}
