package io.gauss.server.chaos;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Gives processes another wall clock where libfaketime is installed, which stands between a process
 * and the system's clock (package {@code libfaketime} of Debian; or {@code -Dgauss.faketime=} the
 * library).
 */
public final class FakeTime {
  private static final Duration APART = Duration.ofHours(2);
  private static final List<String> LIBRARIES =
      List.of(
          System.getProperty("gauss.faketime", ""),
          "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
          "/usr/lib64/faketime/libfaketimeMT.so.1");

  private FakeTime() {}

  /** The library, if it is there. */
  public static Optional<Path> library() {
    return LIBRARIES.stream()
        .filter(name -> !name.isEmpty())
        .map(Path::of)
        .filter(Files::exists)
        .findFirst();
  }

  /** Variables of all processes whose wall clock is another one. */
  public static Map<String, String> variables(Path library) {
    Map<String, String> variables = new TreeMap<>();
    variables.put("LD_PRELOAD", library.toString());
    variables.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    // For a fault of old C libraries; with others, waits of JVMs end at once.
    variables.put("FAKETIME_FORCE_MONOTONIC_FIX", "0");
    // It would convert the times of each file that a JVM looks at.
    variables.put("NO_FAKE_STAT", "1");
    return variables;
  }

  /** Variables of a machine's processes, whose wall clock is that of no other machine. */
  static Map<String, String> ahead(Path library, int machine) {
    Map<String, String> variables = variables(library);
    long seconds = APART.toSeconds() * (machine % 2 == 0 ? machine : -machine);
    variables.put("FAKETIME", "%+d".formatted(seconds));
    return variables;
  }
}
