package io.gauss.server;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The jars that a built Gauss has on its class path, as Maven lists them before the tests run (see
 * this module's {@code pom.xml}).
 */
final class ShippedJars {
  private static final Path LIST = Path.of("target/shipped.txt");

  /** group:artifact:type[:classifier]:version:scope, perhaps followed by the Java module. */
  private static final Pattern LINE =
      Pattern.compile(
          "\\s+(?<group>[^:\\s]+):(?<artifact>[^:]+):(?<type>[^:]+)(:(?<classifier>[^:]+))?"
              + ":(?<version>[^:]+):(compile|runtime)( .*)?");

  /**
   * One jar.
   *
   * @param classifier empty when it has none
   */
  record Jar(String group, String artifact, String type, String classifier, String version) {
    /** Without what differs between systems and versions. */
    String name() {
      return group + ":" + artifact;
    }

    private String file() {
      return artifact + "-" + version + (classifier.isEmpty() ? "" : "-" + classifier) + ".jar";
    }
  }

  private ShippedJars() {}

  static List<Jar> read() throws IOException {
    return Files.readAllLines(LIST).stream()
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .map(
            line ->
                new Jar(
                    line.group("group"),
                    line.group("artifact"),
                    line.group("type"),
                    line.group("classifier") == null ? "" : line.group("classifier"),
                    line.group("version")))
        .toList();
  }

  /** The files of those that are not Gauss's own, all of which are on this test's class path. */
  static List<Path> libraries() throws IOException {
    Map<String, Path> onClassPath = new HashMap<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path file = Path.of(entry);
      onClassPath.put(file.getFileName().toString(), file);
    }
    List<Path> libraries = new ArrayList<>();
    for (Jar jar : read()) {
      if (!jar.group().equals("io.gauss")) {
        libraries.add(Objects.requireNonNull(onClassPath.get(jar.file()), jar.file()));
      }
    }
    return libraries;
  }
}
