package io.gauss.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
  record Jar(String group, String artifact, String type, String classifier) {
    /** Without what differs between systems and versions. */
    String name() {
      return group + ":" + artifact;
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
                    line.group("classifier") == null ? "" : line.group("classifier")))
        .toList();
  }
}
