package io.gauss.compute.reference;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Files of recorded answers among the test resources of the module whose tests run. With {@code
 * -Dgauss.expectations.record} tests that compare such a file with {@link ReferencePostgres} write
 * into the source tree what PostgreSQL answers; Maven runs tests in the module's folder.
 */
public final class Recording {
  private static final boolean WANTED = System.getProperty("gauss.expectations.record") != null;

  private Recording() {}

  /** Whether answers are recorded rather than compared. */
  public static boolean isWanted() {
    return WANTED;
  }

  /** A folder of resources, or one of them: where it is read, or recorded. */
  public static Path path(String resource) {
    if (WANTED) {
      return Path.of("src/test/resources", resource);
    }
    URL url = Recording.class.getResource(resource);
    if (url == null) {
      throw new IllegalArgumentException("no resource " + resource);
    }
    try {
      return Path.of(url.toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The files of a folder whose names end so, in the order of their names. */
  public static List<Path> files(String folder, String ending) {
    try (Stream<Path> files = Files.list(path(folder))) {
      return files.filter(file -> file.getFileName().toString().endsWith(ending)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
