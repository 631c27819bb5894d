package io.gauss.bench.micro;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A temporary data directory of one benchmark run. */
final class BenchmarkDirectory implements AutoCloseable {
  private final Path path;

  BenchmarkDirectory(String name) throws IOException {
    path = Files.createTempDirectory("gauss-" + name);
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      files.sorted(Comparator.reverseOrder()).forEach(BenchmarkDirectory::delete);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
