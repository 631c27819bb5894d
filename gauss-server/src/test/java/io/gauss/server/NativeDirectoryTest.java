package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories for native libraries: those of processes that are gone do not stay. */
class NativeDirectoryTest {
  @TempDir private Path data;

  @Test
  void whatAKilledProcessHasLeftIsRemoved() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    long running = ProcessHandle.current().pid();
    long own = running + 1;
    for (long pid : List.of(ended.pid(), running, own)) {
      Path directory = Files.createDirectories(data.resolve("native").resolve("" + pid));
      Files.writeString(directory.resolve("librocksdbjni-linux64.so"), "a library");
    }
    Path prepared = NativeDirectory.prepare(data, own);
    assertEquals(List.of(), names(prepared));
    assertEquals(
        Stream.of(running, own).map(String::valueOf).sorted().toList(),
        names(data.resolve("native")));
  }

  static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
