package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RotatedLogTest {
  @TempDir Path directory;

  private String content(String name) throws IOException {
    return Files.readString(directory.resolve(name));
  }

  @Test
  void aWriterThatHoldsTheFileOpenContinuesInTheEmptyOne() throws IOException {
    RotatedLog log = new RotatedLog(directory, 10);
    try (OutputStream out =
        Files.newOutputStream(
            directory.resolve(RotatedLog.NAME),
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND)) {
      for (int i = 1; i <= 7; i++) {
        out.write(("long line " + i).getBytes(StandardCharsets.UTF_8));
        log.rotateIfLarge();
        assertEquals("", content("gauss.log"));
      }
      out.write("short".getBytes(StandardCharsets.UTF_8));
      log.rotateIfLarge();
    }
    assertEquals("short", content("gauss.log"));
    assertEquals("long line 7", content("gauss.log.1"));
    assertEquals("long line 4", content("gauss.log.4"));
    assertFalse(Files.exists(directory.resolve("gauss.log.5")));
  }

  @Test
  void whatCannotBeCopiedCostsNoOlderFileButTheOldest() throws IOException {
    Files.writeString(directory.resolve("gauss.log"), "a long line");
    for (int i = 1; i <= 4; i++) {
      Files.writeString(directory.resolve("gauss.log." + i), "older " + i);
    }
    // In the way of the copy, as a full disk is: a directory that is not empty.
    Files.createDirectories(directory.resolve("gauss.log.new/in the way"));
    for (int i = 0; i < 5; i++) {
      new RotatedLog(directory, 10).rotateIfLarge();
    }
    assertEquals("a long line", content("gauss.log"));
    for (int i = 1; i <= 3; i++) {
      assertEquals("older " + i, content("gauss.log." + i));
    }
    assertFalse(Files.exists(directory.resolve("gauss.log.4")));
  }

  @Test
  void withoutAFileThereIsNothingToDo() throws IOException {
    new RotatedLog(directory, 10).rotateIfLarge();
    try (var found = Files.list(directory)) {
      assertEquals(0, found.count());
    }
  }
}
