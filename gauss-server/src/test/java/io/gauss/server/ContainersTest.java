package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The image and the compose files, by {@code docker/test/run}, which says what they are tested for.
 * Skipped where it cannot run: it needs root and some programs.
 */
@Tag("long")
class ContainersTest {
  private static final int SKIPPED = 77;
  private static final int SECONDS = 3_000;

  /** Beyond its own limit the script needs a while to end what it has started. */
  private static final int CLEANING_SECONDS = 180;

  @TempDir Path directory;

  private static Path script() {
    Path home = Path.of("").toAbsolutePath();
    while (!Files.exists(home.resolve("docker/test/run"))) {
      home = home.getParent();
    }
    return home.resolve("docker/test/run");
  }

  @Test
  void theImageAndTheComposeFilesDoWhatTheySay() throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(script().toString(), "--timeout", "" + SECONDS)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putIfAbsent("GAUSS_JAVA_HOME", System.getProperty("java.home"));
    Process test;
    try {
      test = builder.start();
    } catch (IOException e) {
      assumeFalse(true, "there is no python3: " + e.getMessage());
      return;
    }
    try {
      assertTrue(test.waitFor(SECONDS + CLEANING_SECONDS, TimeUnit.SECONDS), "it does not end");
    } finally {
      test.destroy(); // it ends its containers then
      test.waitFor(CLEANING_SECONDS, TimeUnit.SECONDS);
    }
    String said = Files.readString(output);
    assumeFalse(test.exitValue() == SKIPPED, said);
    assertEquals(0, test.exitValue(), said);
    System.out.print(said);
  }
}
