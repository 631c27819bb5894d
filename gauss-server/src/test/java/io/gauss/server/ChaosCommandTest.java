package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./gauss chaos} as a user runs it. How long anything takes is not asked for here. */
@Timeout(1_200)
class ChaosCommandTest {
  @TempDir private Path directory;

  private Process start(Path data, String... more) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("chaos", "--data", data.toString()));
    arguments.addAll(List.of(more));
    return GaussCommand.process("-Xmx256m", arguments, directory.resolve("out")).start();
  }

  private String out() throws IOException {
    return Files.readString(directory.resolve("out"), StandardCharsets.UTF_8);
  }

  private String last() throws IOException {
    return out().lines().reduce("", (before, line) -> line);
  }

  private void run(String... arguments) throws Exception {
    Process chaos = start(directory.resolve("data"), arguments);
    try {
      assertTrue(chaos.waitFor(1_000, TimeUnit.SECONDS), "the run ends");
    } finally {
      chaos.destroy();
      chaos.waitFor();
    }
  }

  @Test
  void aComputeNodeThatIsKilledCostsNothingThatWasAcknowledged() throws Exception {
    run("--nodes", "2+1+1", "--faults", "kill-compute", "--minutes", "0", "--seed", "1");
    assertTrue(last().startsWith("1 faults, 0 lost, 0 anomalies, "), this::text);
  }

  @Test
  @Tag("long")
  void everyKindOfFaultWithinItsBound() throws Exception {
    run("--minutes", "15");
    String last = last();
    assertTrue(last.contains(" 0 lost, 0 anomalies, 0 over their bounds, "), this::text);
    assertFalse(Files.exists(directory.resolve("data")), "nothing is kept of a run that is well");
  }

  private String text() {
    try {
      return out();
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Processes that name the directory on their command lines. */
  private static long processesIn(Path data) {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().commandLine().orElse("").contains(data.toString())
                    && process.pid() != ProcessHandle.current().pid())
        .count();
  }

  @Test
  void nothingIsLeftRunningWhenItIsStopped() throws Exception {
    Path data = directory.resolve("data");
    Process chaos = start(data, "--nodes", "1+0+1", "--faults", "kill-all-storage");
    long begin = System.nanoTime();
    while (processesIn(data) < 3) { // this one, and both nodes
      assertTrue(
          chaos.isAlive() && System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(120), this::text);
      TimeUnit.MILLISECONDS.sleep(50);
    }
    chaos.destroy(); // as Ctrl-C does
    chaos.waitFor();
    assertEquals(0, processesIn(data), this::text);
  }

  @Test
  void whatCannotBeIsRefused() {
    Commands.Outcome clock = Commands.run("chaos", "--faults", "clock-jump");
    assertEquals(2, clock.exitCode());
    assertTrue(clock.error().contains("clock-jump is refused"), clock.error());
    Commands.Outcome nodes = Commands.run("chaos", "--nodes", "3+0+3");
    assertEquals(2, nodes.exitCode());
    Commands.Outcome data = Commands.run("chaos", "--data", directory.toString());
    assertEquals(2, data.exitCode());
    assertTrue(data.error().contains("exists"), data.error());
  }
}
