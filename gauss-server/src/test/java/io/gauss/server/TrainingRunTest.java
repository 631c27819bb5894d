package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A build would go on without the cache if the run failed, and nobody would look. */
class TrainingRunTest {
  /** Some of each kind, on each of two nodes. */
  private static final TrainingLoad.Amount FEW = new TrainingLoad.Amount(160, 60);

  @TempDir private Path directory;

  @Test
  @Timeout(600)
  void everyKindOfNodeWorks() throws Exception {
    TrainingRun.run(directory, FEW, FEW);
    for (String node : new String[] {"alone", "compute-2", "storage-203", "memory-102"}) {
      assertTrue(Files.isDirectory(directory.resolve(node)), node);
    }
  }
}
