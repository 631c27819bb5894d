package io.gauss.server.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.server.docs.MarkdownPage.ClassName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The Markdown files agree with each other and with the names in the sources. */
class DocsLinksTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOCS = ROOT.resolve("docs");

  /** Directories that are not ours or are made by builds and nodes. */
  private static final Set<String> LEFT_OUT = Set.of("target", "node_modules", "data");

  /** Names in backticks that are no class of Gauss: other projects' classes, settings. */
  private static final Set<String> OTHERS =
      Set.of(
          "System",
          "Timestamp",
          "TimeoutTimer",
          "ThreadPoolExecutor",
          "Object",
          "LogEntryProto",
          "AwaitForSignal",
          "LogAppenderBase",
          "RpcType",
          "ServerFactory",
          "RexNode",
          "Types",
          "RelNode",
          "RelBuilder",
          "DateStyle",
          "IntervalStyle",
          "TimeZone",
          // of the JDK and of libraries
          "TreeMap",
          "Map",
          "ThreadLocalRandom",
          "IllegalStateException",
          "AtomicHistogram",
          "HashSet",
          "Integer",
          "Long",
          "LongArrayList",
          // rules of Error Prone
          "ArrayRecordComponent",
          "BadImport",
          "EnumOrdinal",
          "Finally",
          "FutureReturnValueIgnored",
          "InvalidParam",
          "LockNotBeforeTry",
          "MissingSummary",
          "NonApiType",
          "OperatorPrecedence",
          "ReachabilityFenceUsage",
          "ReferenceEquality",
          "StatementSwitchToExpressionSwitch",
          "StringSplitter",
          "UnnecessaryParentheses");

  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|interface|record|enum)\\s+([A-Z]\\w*)");
  private static final Pattern PAGE_IN_SOURCE = Pattern.compile("\\bdocs/[\\w/.-]+\\.md");

  private static final Map<Path, MarkdownPage> PAGES = new TreeMap<>();

  /** Sources by the types that they declare; a name may stand in several. */
  private static final Map<String, List<String>> TYPES = new HashMap<>();

  private static final Set<String> PAGES_IN_SOURCES = new TreeSet<>();

  @BeforeAll
  static void readAll() throws IOException {
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String name = directory.getFileName().toString();
            boolean isOurs =
                directory.equals(ROOT) || !name.startsWith(".") && !LEFT_OUT.contains(name);
            return isOurs ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            read(file);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static void read(Path file) {
    String name = file.getFileName().toString();
    try {
      if (name.endsWith(".md")) {
        PAGES.put(file, MarkdownPage.of(Files.readString(file)));
      } else if (name.endsWith(".java")) {
        String source = Files.readString(file);
        for (Matcher m = TYPE.matcher(source); m.find(); ) {
          TYPES.computeIfAbsent(m.group(1), type -> new ArrayList<>()).add(source);
        }
        for (Matcher m = PAGE_IN_SOURCE.matcher(source); m.find(); ) {
          PAGES_IN_SOURCES.add(m.group());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void linksLeadToFilesAndHeadings() {
    List<String> broken = new ArrayList<>();
    PAGES.forEach(
        (file, page) ->
            page.links().stream()
                .filter(link -> !leadsSomewhere(file, link))
                .forEach(link -> broken.add(ROOT.relativize(file) + ": " + link)));
    assertEquals(List.of(), broken);
  }

  private static boolean leadsSomewhere(Path file, String link) {
    int hash = link.indexOf('#');
    Path target = hash == 0 ? file : target(file, link);
    if (!Files.exists(target)) {
      return false;
    }
    return hash < 0
        || PAGES.containsKey(target)
            && PAGES.get(target).anchors().contains(link.substring(hash + 1));
  }

  private static Path target(Path file, String link) {
    int hash = link.indexOf('#');
    String path = hash < 0 ? link : link.substring(0, hash);
    return file.resolveSibling(path).normalize();
  }

  @Test
  void classesThatAreNamedExist() {
    Set<String> unknown = new TreeSet<>();
    PAGES.forEach(
        (file, page) ->
            page.classNames().stream()
                .filter(name -> !exists(name))
                .forEach(name -> unknown.add(ROOT.relativize(file) + ": " + name)));
    assertEquals(Set.of(), unknown, "renamed or removed; names of others belong into OTHERS");
  }

  private static boolean exists(ClassName name) {
    if (OTHERS.contains(name.type())) {
      return true;
    }
    Pattern member = Pattern.compile("\\b" + (name.member() == null ? "" : name.member()) + "\\b");
    return TYPES.getOrDefault(name.type(), List.of()).stream()
        .anyMatch(source -> name.member() == null || member.matcher(source).find());
  }

  @Test
  void everyPageIsReachedFromTheIndex() {
    Set<Path> reached = new HashSet<>();
    Deque<Path> next = new ArrayDeque<>(List.of(DOCS.resolve("README.md")));
    while (!next.isEmpty()) {
      Path page = next.pop();
      // What is linked by an index counts; a page that is linked by another one alone does not.
      if (reached.add(page) && page.startsWith(DOCS) && page.endsWith("README.md")) {
        PAGES.get(page).links().stream()
            .map(link -> target(page, link))
            .filter(PAGES::containsKey)
            .forEach(next::push);
      }
    }
    List<Path> lost =
        PAGES.keySet().stream()
            .filter(page -> page.startsWith(DOCS) && !reached.contains(page))
            .map(ROOT::relativize)
            .toList();
    assertEquals(List.of(), lost);
  }

  @Test
  void pagesThatSourcesNameExist() {
    assertEquals(
        List.of(),
        PAGES_IN_SOURCES.stream().filter(page -> !Files.exists(ROOT.resolve(page))).toList());
  }

  @Test
  void aPageIsReadAsGitHubShowsIt() {
    MarkdownPage page =
        MarkdownPage.of(
            """
            # Why it's *so*: `Mtr`, and [more](other.md)
            ## Tests
            ## Tests
            See [there](b.md#x), [here](#tests-1), [out](https://example.org), `[no](link)`.
            <a id="y"></a>`Mtr.commit`, `io.gauss.Page`, `SELECT`, `a.b.c`, `Mtr commit`
            ```
            [fenced](away.md) # nothing
            ```
            """);
    assertEquals(Set.of("why-its-so-mtr-and-more", "tests", "tests-1", "y"), page.anchors());
    assertEquals(List.of("other.md", "b.md#x", "#tests-1"), page.links());
    assertEquals(
        List.of(
            new ClassName("Mtr", null),
            new ClassName("Mtr", "commit"),
            new ClassName("Page", null)),
        page.classNames());
  }
}
