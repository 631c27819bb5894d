package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group's directory is forced before entries of a new segment count as forced. */
class SegmentDirectoryTest {
  @TempDir Path directory;
  private int forces;
  private boolean fails;

  private SegmentDirectory segments() {
    return new SegmentDirectory(
        directory,
        forced -> {
          assertEquals(directory, forced);
          if (fails) {
            throw new IOException("Input/output error");
          }
          forces++;
        });
  }

  private Path segment(String name) throws IOException {
    return Files.createFile(directory.resolve(name));
  }

  @Test
  void aSegmentsNameIsForcedOnce() throws Exception {
    segment("log_inprogress_0");
    try (SegmentDirectory segments = segments()) {
      segments.beforeForce();
      segments.beforeForce();
      assertEquals(1, forces);
    }
  }

  @Test
  void theNextSegmentIsNoticed() throws Exception {
    Path first = segment("log_inprogress_0");
    try (SegmentDirectory segments = segments()) {
      segments.beforeForce();
      Files.move(first, directory.resolve("log_0-9"));
      segment("log_inprogress_10");
      segments.beforeForce();
      segments.beforeForce();
      assertEquals(2, forces);
    }
  }

  @Test
  void aSegmentThatTakesTheNameOfADeletedOneIsNoticed() throws Exception {
    Path first = segment("log_inprogress_10");
    try (SegmentDirectory segments = segments()) {
      for (int i = 1; i <= 20; i++) {
        segments.beforeForce();
        assertEquals(i, forces);
        Files.delete(first); // entries are taken back
        segment("log_inprogress_10");
      }
    }
  }

  @Test
  void aNameThatCouldNotBeForcedIsTriedAgain() throws Exception {
    segment("log_inprogress_0");
    try (SegmentDirectory segments = segments()) {
      fails = true;
      assertThrows(IOException.class, segments::beforeForce);
      fails = false;
      segments.beforeForce();
      assertEquals(1, forces);
    }
  }
}
