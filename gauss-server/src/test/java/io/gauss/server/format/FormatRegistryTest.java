package io.gauss.server.format;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import io.gauss.common.transport.MessageType;
import io.gauss.server.WithoutTests;
import io.gauss.server.format.Format.Space;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Nothing is stored or sent that is not registered, documented, and pinned by its bytes. */
@AnalyzeClasses(packages = "io.gauss", importOptions = WithoutTests.class)
class FormatRegistryTest {
  private static final String GOLDEN = "golden.txt";
  private static final Path DOCUMENTATION = Path.of("../docs/formats.md");
  private static final Pattern FORMAT = Pattern.compile("\\w+(Layout|Codec|Messages)");
  private static final int COUNTED_ZEROS = 32;
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (.*) \\|$");

  private static final Set<String> WRITERS =
      Set.of(
          "java.nio.channels.FileChannel.open",
          "java.nio.file.Files.write",
          "java.nio.file.Files.writeString",
          "java.nio.file.Files.newBufferedWriter",
          "java.nio.file.Files.newOutputStream",
          "java.nio.file.Files.newByteChannel",
          "java.io.RandomAccessFile.<init>",
          "java.io.FileOutputStream.<init>");

  /**
   * Not of the test's class: where tests are only looked for, which initializes that, the JVM has
   * not what Chronicle needs.
   */
  private static final class Registry {
    static final List<Format> ALL = FormatRegistry.all();
  }

  @Test
  void numbersAndNamesAreUniqueWithinTheirSpace() {
    for (Space space : Space.values()) {
      List<Format> formats =
          Registry.ALL.stream().filter(format -> format.space() == space).toList();
      assertTrue(formats.size() > 1, () -> "nothing in " + space);
      Map<String, List<String>> byId =
          formats.stream()
              .collect(
                  Collectors.groupingBy(
                      Format::id,
                      TreeMap::new,
                      Collectors.mapping(Format::name, Collectors.toList())));
      byId.forEach((id, names) -> assertEquals(1, names.size(), () -> space + " " + id + names));
      assertEquals(formats.size(), formats.stream().map(Format::name).distinct().count());
    }
  }

  @ArchTest
  static void everyClassThatIsNamedLikeAFormatIsRegistered(JavaClasses product) {
    JavaClasses classes = withoutBenchmarks(product);
    Set<String> known = registered();
    known.addAll(FormatRegistry.NOT_FORMATS.keySet());
    Set<String> found =
        classes.stream()
            .map(JavaClass::getSimpleName)
            .filter(name -> FORMAT.matcher(name).matches())
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of(), minus(found, known), "to be registered");
    Set<String> all = classes.stream().map(JavaClass::getSimpleName).collect(Collectors.toSet());
    assertEquals(Set.of(), minus(known, all), "there are none of these names");
  }

  private static JavaClasses withoutBenchmarks(JavaClasses product) {
    return product.that(resideOutsideOfPackage("io.gauss.bench.."));
  }

  private static Set<String> registered() {
    return Registry.ALL.stream()
        .flatMap(format -> format.classes().stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> minus(Set<String> some, Set<String> others) {
    Set<String> rest = new TreeSet<>(some);
    rest.removeAll(others);
    return rest;
  }

  @ArchTest
  static void everyClassThatWritesFilesIsRegistered(JavaClasses product) {
    Set<String> known = registered();
    known.addAll(FormatRegistry.NOT_FILES.keySet());
    Set<String> found = new TreeSet<>();
    for (JavaClass one : withoutBenchmarks(product)) {
      boolean ofServers =
          !one.getPackageName().startsWith("io.gauss.router")
              && !one.getPackageName().startsWith("io.gauss.server.chaos");
      boolean writes =
          one.getAccessesFromSelf().stream()
              .anyMatch(
                  call ->
                      WRITERS.contains(
                          call.getTargetOwner().getName() + "." + call.getTarget().getName()));
      if (ofServers && writes) {
        found.add(one.getName().replaceFirst("\\$.*", "").replaceFirst(".*\\.", ""));
      }
    }
    assertEquals(Set.of(), minus(found, known), "to be registered");
    assertEquals(Set.of(), minus(FormatRegistry.NOT_FILES.keySet(), found), "these write no files");
  }

  @ArchTest
  static void everyTypeOfMessageIsRegisteredUnderItsName(JavaClasses product)
      throws ReflectiveOperationException {
    Map<String, String> found = new TreeMap<>();
    for (JavaClass one : withoutBenchmarks(product)) {
      for (JavaField field : one.getFields()) {
        if (field.getRawType().isEquivalentTo(MessageType.class)
            && field.getModifiers().contains(JavaModifier.STATIC)) {
          MessageType type = constant(field);
          String before = found.put("0x%04X".formatted(type.id()), type.name());
          assertTrue(before == null, () -> type + " is also " + before);
        }
      }
    }
    Map<String, String> registered =
        Registry.ALL.stream()
            .filter(format -> format.space() == Space.MESSAGE)
            .collect(Collectors.toMap(Format::id, Format::name, (a, b) -> a, TreeMap::new));
    assertEquals(found, registered);
  }

  private static MessageType constant(JavaField field) throws ReflectiveOperationException {
    Field constant = Class.forName(field.getOwner().getName()).getDeclaredField(field.getName());
    constant.setAccessible(true);
    return (MessageType) constant.get(null);
  }

  @Test
  void everyFormatHasTheBytesThatOtherReleasesKnow() throws IOException {
    assertEquals(golden(), written());
  }

  /** By space, number and place among the examples. */
  private static Map<String, String> written() {
    Map<String, String> lines = new TreeMap<>();
    for (Format format : Registry.ALL) {
      assertTrue(!format.examples().isEmpty(), () -> format + " has no example");
      for (int i = 0; i < format.examples().size(); i++) {
        lines.put(
            "%s %s %d".formatted(format.space(), format.id(), i), hex(format.examples().get(i)));
      }
    }
    return lines;
  }

  /** Long runs of zeros are counted. */
  private static String hex(byte[] bytes) {
    StringBuilder hex = new StringBuilder();
    int at = 0;
    while (at < bytes.length) {
      int zeros = zeros(bytes, at);
      if (zeros >= COUNTED_ZEROS) {
        hex.append('(').append(zeros).append(')');
        at += zeros;
      } else {
        HexFormat.of().toHexDigits(hex, bytes[at++]);
      }
    }
    return hex.toString();
  }

  private static int zeros(byte[] bytes, int from) {
    int to = from;
    while (to < bytes.length && bytes[to] == 0) {
      to++;
    }
    return to - from;
  }

  private static Map<String, String> golden() throws IOException {
    try (InputStream in = FormatRegistryTest.class.getResourceAsStream(GOLDEN)) {
      assertNotNull(in, GOLDEN + " is gone: it is not made anew, since it is what others know");
      Map<String, String> lines = new TreeMap<>();
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(
              line -> {
                int at = line.indexOf(": ");
                lines.put(line.substring(0, at), line.substring(at + 2));
              });
      return lines;
    }
  }

  @Test
  void theDocumentationListsTheSameNumbers() throws IOException {
    String page = Files.readString(DOCUMENTATION);
    int start = page.indexOf("## All formats");
    assertTrue(start >= 0, "docs/formats.md has no list of all formats");
    int end = page.indexOf("\n## ", start + 1);
    Matcher rows = ROW.matcher(page.substring(start, end < 0 ? page.length() : end));
    List<String> documented =
        rows.results().map(row -> "| " + row.group(1) + " |").skip(1).sorted().toList();
    assertEquals(
        String.join("\n", Registry.ALL.stream().map(Format::row).sorted().toList()),
        String.join("\n", documented));
  }
}
