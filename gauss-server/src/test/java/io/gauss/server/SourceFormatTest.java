package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** All sources are as {@code ./gauss format} leaves them: google-java-format's. */
class SourceFormatTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @Test
  void sourcesAreFormatted() throws IOException {
    List<Path> sources = sources();
    assertFalse(sources.isEmpty());
    List<String> unformatted =
        sources.parallelStream()
            .filter(SourceFormatTest::isUnformatted)
            .map(file -> ROOT.relativize(file).toString())
            .sorted()
            .toList();
    assertEquals(List.of(), unformatted, "format by: ./gauss format --all");
  }

  /** Not what builds make: tests of other modules put files there, and remove them, meanwhile. */
  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String name = directory.getFileName().toString();
            boolean isOurs =
                directory.equals(ROOT) || !name.startsWith(".") && !name.equals("target");
            return isOurs ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.toString();
            if (name.endsWith(".java") && name.contains("/src/")) {
              sources.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
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
