package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./gauss bench model}; what it says is checked in the module benchmarks. */
class ModelBenchTest {
  private static final Path MEASURED = Path.of("..", "benchmarks", "measured");
  private static final String QUIET = MEASURED.resolve("quiet").toString();
  private static final String SHARED = MEASURED.resolve("shared").toString();

  @TempDir private Path directory;

  private static Commands.Outcome model(String... arguments) {
    String[] all = new String[arguments.length + 2];
    all[0] = "bench";
    all[1] = "model";
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return Commands.run(all);
  }

  @Test
  void resultsOfOnesOwnMakeACalibrationThatCanBeCheckedAndUsed() {
    Path mine = directory.resolve("mine.json");
    assertEquals(0, model("fit", QUIET, "--idle", "20,10,50", "--out", mine.toString()).exitCode());
    assertEquals(0, model("check", QUIET, "--calibration", mine.toString()).exitCode());
    Commands.Outcome predicted =
        model("predict", "--calibration", mine.toString(), "--clients", "2", "--nodes", "4");
    assertEquals(0, predicted.exitCode(), predicted::error);
    assertTrue(
        predicted.out().contains("more throughput on 4 compute nodes with a parameter halved:"));
  }

  @Test
  void resultsOfABusyMachineAreOnlyUsedUpToAFactor() {
    Path mine = directory.resolve("mine.json");
    Commands.Outcome outcome = model("fit", QUIET, "--shared", SHARED, "--out", mine.toString());
    assertEquals(0, outcome.exitCode(), outcome::error);
    assertTrue(outcome.out().stream().anyMatch(line -> line.startsWith("| ycsb-a-1 | 1 |")));
    assertEquals(0, model("check", SHARED, "--shared").exitCode());
  }

  @Test
  void picturesAreWrittenWhereTheyAreWanted() {
    Path pictures = directory.resolve("pictures");
    Commands.Outcome outcome =
        model("predict", "--clients", "1", "--nodes", "2", "--pictures", pictures.toString());
    assertEquals(0, outcome.exitCode(), outcome::error);
    assertTrue(Files.exists(pictures.resolve("throughput.svg")));
  }

  @Test
  void whatIsNoResultIsRefused() throws Exception {
    assertTrue(model("check", directory.toString(), "--processors", "2").exitCode() == 0);
    Files.writeString(directory.resolve("other.json"), "{}");
    assertTrue(model("check", directory.toString()).error().contains("other.json has no costs"));
    assertTrue(model("predict", "--clients", "0").error().contains("above 0"));
  }
}
