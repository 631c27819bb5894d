package io.gauss.compute.session.setting;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docs/settings.md says of every setting whether it has an effect, and of no other. */
class SettingsPageTest {
  private static final Path PAGE = Path.of("../docs/settings.md");
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");

  /** The names in the first column of the table below a heading. */
  private static Set<String> names(String heading) throws IOException {
    String page = Files.readString(PAGE);
    int start = page.indexOf("\n## " + heading + "\n");
    assertEquals(true, start >= 0, "no heading " + heading);
    int end = page.indexOf("\n## ", start + 1);
    Set<String> names = new TreeSet<>();
    for (String line : page.substring(start, end < 0 ? page.length() : end).split("\n")) {
      if (line.startsWith("| `")) {
        Matcher name = NAME.matcher(line.substring(0, line.indexOf('|', 1)));
        while (name.find()) {
          names.add(name.group(1));
        }
      }
    }
    return names;
  }

  private static Set<String> defined(SettingDefinition.Kind... kinds) {
    return SettingDefinitions.all().stream()
        .filter(setting -> Set.of(kinds).contains(setting.kind()))
        .map(SettingDefinition::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void settingsWithoutEffectAreThoseOfTheList() throws IOException {
    assertEquals(
        new TreeSet<>(SettingDefinitions.WITHOUT_EFFECT), names("Accepted, without effect"));
  }

  @Test
  void allOthersThatCanBeSetHaveAnEffect() throws IOException {
    Set<String> settable =
        defined(
            SettingDefinition.Kind.BOOLEAN,
            SettingDefinition.Kind.INTEGER,
            SettingDefinition.Kind.ENUM,
            SettingDefinition.Kind.STRING);
    settable.removeAll(SettingDefinitions.WITHOUT_EFFECT);
    assertEquals(settable, names("With effect"));
  }

  @Test
  void thoseThatCannotBeSetAreReadOnly() throws IOException {
    assertEquals(defined(SettingDefinition.Kind.READ_ONLY), names("Read-only"));
  }
}
