package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** All sources are as {@code ./gauss format} leaves them: google-java-format's. */
class SourceFormatTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @Test
  void sourcesAreFormatted() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      List<String> unformatted =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> file.toString().contains("/src/"))
              .filter(file -> !file.toString().contains("/target/"))
              .toList()
              .parallelStream()
              .filter(SourceFormatTest::isUnformatted)
              .map(file -> ROOT.relativize(file).toString())
              .sorted()
              .toList();
      assertEquals(List.of(), unformatted, "format by: ./gauss format --all");
    }
  }

  private static boolean isUnformatted(Path file) {
    try {
      String source = Files.readString(file);
      String formatted = new Formatter().formatSourceAndFixImports(source);
      return !formatted.equals(source);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (FormatterException e) {
      throw new AssertionError(file + ": " + e.getMessage(), e);
    }
  }
}
