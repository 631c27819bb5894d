package io.gauss.server.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The commands of {@code docs/machines.md}, in their order. A comment before each block says on
 * which machines it is typed; another one that a machine is lost.
 */
final class MachinesPage {
  private static final Pattern ON = Pattern.compile("<!-- on (db-\\d(, db-\\d)*) -->");
  private static final Pattern LOST = Pattern.compile("<!-- (db-\\d) is lost -->");
  private static final String FENCE = "```";

  private MachinesPage() {}

  /**
   * What happens on a machine.
   *
   * @param machine its name
   * @param command null = it is lost
   */
  record Step(String machine, String command) {}

  /**
   * @throws IllegalStateException when a block does not say on which machine it is typed
   */
  static List<Step> read(Path page) throws IOException {
    List<Step> steps = new ArrayList<>();
    List<String> machines = List.of();
    List<String> block = null;
    for (String line : Files.readAllLines(page)) {
      Matcher on = ON.matcher(line);
      Matcher lost = LOST.matcher(line);
      if (line.equals(FENCE) && block == null) {
        if (machines.isEmpty()) {
          throw new IllegalStateException("a block of " + page + " is typed on no machine");
        }
        block = new ArrayList<>();
      } else if (line.equals(FENCE)) {
        for (String machine : machines) {
          block.forEach(command -> steps.add(new Step(machine, command)));
        }
        block = null;
        machines = List.of();
      } else if (block != null) {
        block.add(line);
      } else if (on.matches()) {
        machines = Arrays.asList(on.group(1).split(", "));
      } else if (lost.matches()) {
        steps.add(new Step(lost.group(1), null));
      }
    }
    return steps;
  }
}
