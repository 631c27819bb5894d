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

/** All sources are formatted by google-java-format; {@code -Dgauss.format=write} formats them. */
class SourceFormatTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final boolean WRITE = "write".equals(System.getProperty("gauss.format"));

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
      assertEquals(
          List.of(),
          unformatted,
          "format by: mvn test -pl gauss-server -am -Dtest=SourceFormatTest"
              + " -Dsurefire.failIfNoSpecifiedTests=false -Dgauss.format=write");
    }
  }

  private static boolean isUnformatted(Path file) {
    try {
      String source = Files.readString(file);
      String formatted = new Formatter().formatSourceAndFixImports(source);
      if (formatted.equals(source)) {
        return false;
      }
      if (WRITE) {
        Files.writeString(file, formatted);
        return false;
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (FormatterException e) {
      throw new AssertionError(file + ": " + e.getMessage(), e);
    }
  }
}
