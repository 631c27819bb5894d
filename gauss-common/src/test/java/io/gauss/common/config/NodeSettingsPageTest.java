package io.gauss.common.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * docs/settings.md has the tables generated from the rows. When one differs, the failure prints the
 * correct table, to be put between its two marks.
 */
class NodeSettingsPageTest {
  private static final Path PAGE = Path.of("../docs/settings.md");
  private static final Path LAUNCHER = Path.of("../gauss");
  private static final Path DOCKER = Path.of("../docker");
  private static final Pattern VARIABLE = Pattern.compile("GAUSS_[A-Z_]+");

  private static String between(String mark) throws IOException {
    String page = Files.readString(PAGE);
    String begin = "<!-- " + mark + ": made from code, see NodeSettingsPageTest -->\n";
    int start = page.indexOf(begin);
    int end = page.indexOf("<!-- end -->\n", start);
    assertTrue(start >= 0 && end >= 0, PAGE + " has no part that begins with " + begin);
    return page.substring(start + begin.length(), end);
  }

  private static void assertPageHas(String mark, String expected) throws IOException {
    assertTrue(
        between(mark).equals(expected), () -> PAGE + ", " + mark + ", should be:\n\n" + expected);
  }

  private static String kinds(Set<NodeKind> kinds) {
    return kinds.equals(EnumSet.allOf(NodeKind.class))
        ? "all"
        : kinds.stream().sorted().map(NodeKind::toString).collect(Collectors.joining(", "));
  }

  private static String effect(NodeSetting.Effect effect) {
    return switch (effect) {
      case AT_START -> "start";
      case IN_NEW_CLUSTER -> "new cluster";
    };
  }

  private static String line(NodeSetting<?> row) {
    return "| `%s` | %s | %s | %s | %s | %s |%n"
        .formatted(
            row.name(),
            kinds(row.kinds()),
            row.type().describe(),
            row.fallback().description(),
            effect(row.effect()),
            row.purpose());
  }

  @Test
  void theTableOfNodesIsThatOfTheRows() throws IOException {
    StringBuilder table =
        new StringBuilder(
            "| name | nodes | values | default | counts from | purpose |\n"
                + "|---|---|---|---|---|---|\n");
    NodeSettingTable.rows().forEach(row -> table.append(line(row)));
    assertPageHas("nodes", table.toString());
  }

  @Test
  void theTableOfTheLaunchersVariablesIsThatOfTheRows() throws IOException {
    StringBuilder table = new StringBuilder("| variable | default | purpose |\n|---|---|---|\n");
    ProcessVariables.rows()
        .forEach(
            row ->
                table.append(
                    "| `%s` | %s | %s |%n".formatted(row.name(), row.fallback(), row.purpose())));
    assertPageHas("variables", table.toString());
  }

  /** The undeclared variables of Gauss in a file. */
  private static Set<String> undeclared(Path file, String expected) throws IOException {
    Set<String> names = new TreeSet<>();
    Matcher used = VARIABLE.matcher(Files.readString(file));
    while (used.find()) {
      names.add(used.group());
    }
    assertTrue(names.contains(expected), file + " was read");
    ProcessVariables.rows().forEach(row -> names.remove(row.name()));
    NodeSettingTable.rows().forEach(row -> names.remove(row.variable()));
    return names;
  }

  /**
   * A variable that the launcher reads and does not declare would keep every node from starting.
   */
  @Test
  void theLaunchersVariablesAreDeclared() throws IOException {
    assertEquals(Set.of(), undeclared(LAUNCHER, "GAUSS_HOME"), "add rows to ProcessVariables");
  }

  /** The same holds for a variable that the image or a compose file sets. */
  @Test
  void theContainersVariablesAreDeclared() throws IOException {
    assertEquals(Set.of(), undeclared(DOCKER.resolve("Dockerfile"), "GAUSS_METRICS_PORT"));
    assertEquals(Set.of(), undeclared(DOCKER.resolve("entrypoint"), "GAUSS_PEER_LISTEN"));
    assertEquals(Set.of(), undeclared(DOCKER.resolve("compose-one.yml"), "GAUSS_TLS_KEY"));
    assertEquals(Set.of(), undeclared(DOCKER.resolve("compose-cluster.yml"), "GAUSS_CLUSTER_KEY"));
  }

  @Test
  void aNameHasOneRowForEachKindAndAVariableOfItsOwn() {
    for (NodeKind kind : NodeKind.values()) {
      Set<String> names = new TreeSet<>();
      Set<String> variables = new TreeSet<>();
      for (NodeSetting<?> row : NodeSettingTable.of(kind)) {
        assertTrue(names.add(row.name()), row.name() + " of " + kind);
        assertTrue(variables.add(row.variable()), row.variable() + " of " + kind);
        assertTrue(!ProcessVariables.isKnown(row.variable()), row.variable());
      }
    }
    assertEquals(
        NodeSettingTable.rows().size(),
        Arrays.stream(NodeSettingTable.class.getFields())
            .filter(field -> field.getType() == NodeSetting.class)
            .count());
  }
}
