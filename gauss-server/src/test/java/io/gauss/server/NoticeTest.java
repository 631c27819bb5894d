package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** NOTICE has a line for each library that is shipped, with its licence, and none for another. */
class NoticeTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LIBRARY =
      Pattern.compile("(?<name>[\\w.-]+:[\\w.-]+) {2,}(?<rest>.+)");
  private static final String KNOWN =
      "(Apache 2\\.0|BSD [23]-Clause|MIT|EPL 2\\.0|EDL 1\\.0|CC0 1\\.0)( \\(.+\\))?(, BSD 3-Clause"
          + " \\(.+\\))?";

  /** Of which other systems have no build, or not all of them. */
  private static final List<String> ONLY_ON_LINUX =
      List.of("ai.djl.pytorch:pytorch-native-cpu", "io.netty:netty-transport-native-epoll");

  @Test
  void everyLibraryIsListedWithItsLicence() throws IOException {
    TreeSet<String> shipped = new TreeSet<>();
    for (ShippedJars.Jar jar : ShippedJars.read()) {
      if (!jar.group().equals("io.gauss")) {
        shipped.add(jar.name());
      }
    }
    SortedMap<String, String> listed = listed();
    TreeSet<String> missing = new TreeSet<>(shipped);
    missing.removeAll(listed.keySet());
    TreeSet<String> superfluous = new TreeSet<>(listed.keySet());
    superfluous.removeAll(shipped);
    if (!System.getProperty("os.name").equals("Linux")) {
      superfluous.removeAll(ONLY_ON_LINUX);
    }
    assertEquals("[] []", missing + " " + superfluous, "not in NOTICE; in NOTICE, but not shipped");
  }

  @Test
  void licencesAreThoseThatWeShipUnder() throws IOException {
    // Another licence is a decision (docs/dependencies.md), then it is added here.
    listed().forEach((name, licence) -> assertTrue(licence.matches(KNOWN), name + ": " + licence));
  }

  @Test
  void theLicenceIsApache2() throws IOException {
    String licence = Files.readString(ROOT.resolve("LICENSE"));
    assertTrue(licence.contains("Version 2.0, January 2004"));
    assertTrue(licence.contains("END OF TERMS AND CONDITIONS"));
  }

  private static SortedMap<String, String> listed() throws IOException {
    TreeMap<String, String> listed = new TreeMap<>();
    for (String line : Files.readAllLines(ROOT.resolve("NOTICE"))) {
      Matcher library = LIBRARY.matcher(line);
      if (library.matches()) {
        assertEquals(null, listed.put(library.group("name"), library.group("rest")), line);
      }
    }
    return listed;
  }
}
