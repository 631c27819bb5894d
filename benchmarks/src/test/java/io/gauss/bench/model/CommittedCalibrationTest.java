package io.gauss.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What docs/scaling.md says of the calibration that comes with Gauss. */
final class CommittedCalibrationTest {
  private static final Path MEASURED = Path.of("measured");
  private static final Path PICTURES = Path.of("..", "docs", "scaling");
  private static final double PROMISED = 0.15;

  /** Two, of which the operating system and the process that watched needed a twentieth. */
  private static final double PROCESSORS = 1.9;

  private static final Map<Tier, Double> IDLE =
      Map.of(Tier.COMPUTE, 24.0, Tier.MEMORY, 9.0, Tier.STORAGE, 55.0);

  private static List<MeasuredRun> runs(String directory) throws IOException {
    List<MeasuredRun> runs = MeasuredRun.all(MEASURED.resolve(directory));
    assertFalse(runs.isEmpty());
    return runs;
  }

  @Test
  void itIsTheOneThatTheMeasuredRunsGive() throws IOException {
    Calibration fitted = CalibrationFit.of(runs("quiet"), runs("shared"), IDLE);
    Calibration committed = Calibration.committed();
    for (Tier tier : Tier.values()) {
      for (Operation operation : tier.operations()) {
        assertEquals(fitted.cpuMs(tier, operation), committed.cpuMs(tier, operation), 1e-6);
      }
    }
    fitted
        .loads()
        .forEach(
            (load, own) -> assertEquals(own.computeMs(), committed.own(load).computeMs(), 1e-6));
    assertEquals(fitted.appendsPerTransfer(), committed.appendsPerTransfer(), 1e-6);
  }

  private static void assertPredicted(List<ModelCheck.Line> lines) {
    for (ModelCheck.Line line : lines) {
      assertTrue(
          Math.abs(line.cpuError()) <= PROMISED,
          () -> line.run().name() + " is off by " + line.cpuError());
    }
  }

  @Test
  void theCostOfEachRunIsPredicted() throws IOException {
    Calibration committed = Calibration.committed();
    assertPredicted(ModelCheck.quiet(committed, runs("quiet"), 0));
    assertPredicted(ModelCheck.shared(committed, runs("shared")));
  }

  /** That of the sprayed run is not, as the page says. */
  @Test
  void theThroughputOfRunsThatHadTheProcessorsToThemselvesIsPredicted() throws IOException {
    for (ModelCheck.Line line :
        ModelCheck.quiet(Calibration.committed(), runs("quiet"), PROCESSORS)) {
      assertTrue(
          line.run().sprayed() || Math.abs(line.throughputError()) <= PROMISED,
          () -> line.run().name() + " is off by " + line.throughputError());
    }
  }

  @Test
  void thePicturesAreThoseOfTheCommand() throws IOException {
    ScalingReport report = new ScalingReport(Calibration.committed(), 8, 64);
    for (Map.Entry<String, String> picture : report.pictures().entrySet()) {
      assertEquals(
          Files.readString(PICTURES.resolve(picture.getKey())),
          picture.getValue(),
          "./gauss bench model predict --pictures docs/scaling");
    }
  }
}
