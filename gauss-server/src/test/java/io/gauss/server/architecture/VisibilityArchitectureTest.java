package io.gauss.server.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.server.architecture.Visibility.Finding;
import io.gauss.server.architecture.example.above.UserOfOpen;
import io.gauss.server.architecture.example.open.TooOpen;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nothing is public that only its own package uses; tests count as users. */
class VisibilityArchitectureTest {
  private static final Path ROOT = Path.of("..");
  private static final String DRIVER = "io/gauss/jdbc/";

  /** Built after this module: its sources say what it uses. */
  private static final String LATER = "benchmarks-jmh";

  /** Written by the parser generator. */
  private static final String GENERATED = "io/gauss/compute/sql/parse/impl/";

  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern WORD = Pattern.compile("\\w+");

  /** Packages, with slashes, by the words of their sources. */
  private final Map<String, Set<String>> packagesByWord = new HashMap<>();

  /** Words of sources whose class files are not there yet. */
  private final Set<String> later = new HashSet<>();

  private static List<Path> files(Path directory, String suffix) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(file -> file.toString().endsWith(suffix)).toList();
    }
  }

  private void readWords(String module) throws IOException {
    for (Path file : files(ROOT.resolve(module).resolve("src"), ".java")) {
      String text = Files.readString(file);
      Matcher declared = PACKAGE.matcher(text);
      if (!declared.find()) {
        continue;
      }
      String packageName = declared.group(1).replace('.', '/');
      Matcher words = WORD.matcher(text);
      while (words.find()) {
        packagesByWord.computeIfAbsent(words.group(), word -> new HashSet<>()).add(packageName);
        if (module.equals(LATER)) {
          later.add(words.group());
        }
      }
    }
  }

  private boolean isInSourcesOutside(String packageName, String word) {
    return packagesByWord.getOrDefault(word, Set.of()).stream()
        .anyMatch(other -> !other.equals(packageName));
  }

  /** The classes that applications name, and connect by. */
  private static boolean isDriverApi(String type) {
    return type.startsWith(DRIVER) && type.indexOf('/', DRIVER.length()) < 0;
  }

  /** Whether benchmarks that are built later may use it, as far as names tell. */
  private boolean isUsedLater(Finding finding) {
    String simple = finding.owner().replaceFirst(".*[/$]", "");
    boolean isOfType = finding.member() == null || finding.member().equals("<init>");
    return later.contains(simple) && (isOfType || later.contains(finding.member()));
  }

  @Test
  void nothingIsPublicThatOnlyItsPackageUses() throws IOException {
    Visibility visibility =
        new Visibility(VisibilityArchitectureTest::isDriverApi, this::isInSourcesOutside);
    List<String> modules = new ArrayList<>();
    Layers.PRODUCT.modules().forEach(module -> modules.add(module.name()));
    readWords(LATER);
    for (String module : modules) {
      readWords(module);
      Path target = ROOT.resolve(module).resolve("target");
      List<Path> product = files(target.resolve("classes"), ".class");
      assertTrue(!product.isEmpty(), module + " is to be built first");
      for (Path file : product) {
        visibility.product(Files.readAllBytes(file));
      }
      for (Path file : files(target.resolve("test-classes"), ".class")) {
        visibility.user(Files.readAllBytes(file));
      }
      for (Path file : files(ROOT.resolve(module).resolve("src/main/resources"), "")) {
        if (Files.isRegularFile(file)) {
          visibility.names(Files.readString(file, StandardCharsets.ISO_8859_1));
        }
      }
    }
    Set<String> found = new TreeSet<>();
    visibility.findings().stream()
        .filter(finding -> !finding.owner().startsWith(GENERATED) && !isUsedLater(finding))
        .forEach(finding -> found.add(finding.toString()));
    assertEquals("", String.join("\n", found), "not to be public or protected, or not needed");
  }

  private static byte[] bytes(Class<?> type) throws IOException {
    try (InputStream in = ClassLoader.getSystemResourceAsStream(internal(type) + ".class")) {
      return in.readAllBytes();
    }
  }

  private static String internal(Class<?> type) {
    return type.getName().replace('.', '/');
  }

  private static Visibility example(boolean isApi) throws IOException {
    Visibility visibility =
        new Visibility(
            type -> isApi, (from, word) -> word.equals(TooOpen.Constants.class.getSimpleName()));
    visibility.product(bytes(TooOpen.class));
    visibility.product(bytes(TooOpen.OnlyHere.class));
    visibility.product(bytes(TooOpen.Constants.class));
    visibility.product(bytes(TooOpen.MoreConstants.class));
    visibility.user(bytes(UserOfOpen.class));
    return visibility;
  }

  @Test
  void whatNobodyElseUsesIsFound() throws IOException {
    Set<String> found = new TreeSet<>();
    example(false)
        .findings()
        .forEach(
            finding ->
                found.add(
                    finding.toString().replaceFirst(".*/", "")
                        + (finding.isUsed() ? "" : ": by nobody")));
    assertEquals(
        Set.of(
            "TooOpen$OnlyHere",
            "TooOpen.<init>(I)V",
            "TooOpen$MoreConstants",
            "TooOpen.nobodys()V: by nobody",
            "TooOpen.nobodysFieldI",
            "TooOpen.ofItsPackage()I"),
        found);
  }

  @Test
  void apiIsLeftAlone() throws IOException {
    assertEquals(Set.of(), example(true).findings());
  }

  @Test
  void typeThatAFileNamesIsLeftAlone() throws IOException {
    Visibility visibility = example(false);
    visibility.names("<class>" + TooOpen.OnlyHere.class.getName() + "</class>");
    assertTrue(
        visibility.findings().stream()
            .noneMatch(finding -> finding.toString().endsWith("OnlyHere")));
  }
}
