package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.server.chaos.FaultKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The bounds in docs/chaos.md are those to which {@code ./gauss chaos} holds the cluster. When they
 * differ, the failure prints the correct table.
 */
class ChaosPageTest {
  private static final Path PAGE = Path.of("../docs/chaos.md");
  private static final String BEGIN = "<!-- faults: made from code, see ChaosPageTest -->\n";
  private static final String END = "<!-- end -->\n";

  private static String row(FaultKind kind) {
    return "| `%s` | %s | %s | %d s |%n"
        .formatted(
            kind.label(),
            kind.text(),
            kind.gapSeconds() == 0 ? "-" : kind.gapSeconds() + " s",
            kind.backSeconds());
  }

  @Test
  void thePageHasTheBoundsOfTheCode() throws IOException {
    String table =
        "| fault | what happens | others' gap | back |\n|---|---|---|---|\n"
            + Arrays.stream(FaultKind.values())
                .map(ChaosPageTest::row)
                .collect(Collectors.joining());
    String page = Files.readString(PAGE);
    int start = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END, start);
    assertTrue(start > BEGIN.length() && end > 0, PAGE + " has no table of faults");
    assertEquals(table, page.substring(start, end), PAGE + " should have:\n\n" + table);
  }

  @Test
  void kindsAreReadByTheirNames() {
    assertEquals(
        List.of(FaultKind.KILL_COMPUTE, FaultKind.TWO), FaultKind.parse("kill-compute, two"));
    assertEquals(List.of(FaultKind.values()), FaultKind.parse("all"));
    assertThrows(IllegalArgumentException.class, () -> FaultKind.parse("kill-everybody"));
    assertThrows(IllegalArgumentException.class, () -> FaultKind.parse("clock-jump"));
  }
}
