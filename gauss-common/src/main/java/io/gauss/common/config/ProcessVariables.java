package io.gauss.common.config;

import java.util.List;

/**
 * Environment variables of Gauss that are not settings of a node: those of the launcher and its
 * scripts. Every other variable whose name begins with {@code GAUSS_} must belong to a setting.
 */
final class ProcessVariables {
  /**
   * One variable.
   *
   * @param fallback when it is not set, in Markdown
   * @param purpose in Markdown
   */
  record Row(String name, String fallback, String purpose) {}

  private static final List<Row> ROWS =
      List.of(
          new Row("GAUSS_HEAP", "`2g`", "maximum size of the Java heap (`-Xmx`)"),
          new Row(
              "GAUSS_JAVA_OPTS",
              "",
              "further options of the JVM, after ours. `-Xlog:aot` tells why the [ahead-of-time"
                  + " cache](decisions/0042-ahead-of-time-cache.md), without which starts take"
                  + " longer, is not used"),
          new Row("GAUSS_JAVA_HOME", "found", "the JDK 25 to use"),
          new Row(
              "GAUSS_JDK_DOWNLOAD",
              "`ask`",
              "when there is no JDK 25: `ask` at a terminal whether to download one, `yes`, or"
                  + " `no`; `pinned` uses the pinned JDK even where another one is installed"),
          new Row("GAUSS_JDK_DIR", "`~/.gauss/jdk`", "where downloaded JDKs are"),
          new Row(
              "GAUSS_JDK_MIRROR",
              "Adoptium's releases on GitHub",
              "URL of the directory that has the archive"),
          new Row(
              "GAUSS_JDK_TABLE",
              "`launcher/temurin-25.txt`",
              "the file with the pinned archives and their checksums"),
          new Row("GAUSS_LOG_LEVEL", "`INFO`", "`DEBUG`, `INFO`, `WARN`, `ERROR`"),
          new Row("GAUSS_HOME", "", "set by the launcher: the directory that it is in"));

  private ProcessVariables() {}

  static List<Row> rows() {
    return ROWS;
  }

  static boolean isKnown(String variable) {
    return ROWS.stream().anyMatch(row -> row.name().equals(variable));
  }
}
