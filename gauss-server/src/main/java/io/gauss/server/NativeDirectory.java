package io.gauss.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a node's process unpacks native libraries: {@code native/PID} in its data directory. A
 * process that ends in order removes what it has unpacked; the next start removes what a killed one
 * has left. In the system's temporary directory it would stay.
 */
final class NativeDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(NativeDirectory.class);

  private static final String NAME = "native";

  /** Properties that name the directory to Netty, Ratis's Netty, and our page store. */
  static final List<String> PROPERTIES =
      List.of(
          "io.netty.native.workdir",
          "org.apache.ratis.thirdparty.io.netty.native.workdir",
          "gauss.native.directory");

  private NativeDirectory() {}

  /**
   * Creates this process's directory and passes it to the libraries; to be called before the first
   * of them is loaded. Properties set on the command line are kept.
   *
   * @param data the node's data directory
   */
  static void use(Path data) throws IOException {
    Path own = prepare(data, ProcessHandle.current().pid());
    own.toFile().deleteOnExit(); // deleted after the files in it, which are registered later
    if (!mayExecute(own)) {
      LOG.warn(
          "{} is mounted noexec: native libraries are unpacked in the temporary directory", data);
      return;
    }
    for (String property : PROPERTIES) {
      if (System.getProperty(property) == null) {
        System.setProperty(property, own.toString());
      }
    }
  }

  /**
   * Removes the directories of processes that are gone, and creates an empty one for this process.
   */
  static Path prepare(Path data, long pid) throws IOException {
    Path all = Files.createDirectories(data.resolve(NAME).toAbsolutePath());
    try (Stream<Path> found = Files.list(all)) {
      for (Path one : found.toList()) {
        // One with this process's number is from before the machine was restarted.
        if (pid(one).filter(other -> other != pid && runs(other)).isEmpty()) {
          remove(one);
        }
      }
    }
    return Files.createDirectories(all.resolve(Long.toString(pid)));
  }

  /** Whether libraries in the directory can be loaded: not from a file system mounted noexec. */
  private static boolean mayExecute(Path directory) throws IOException {
    Path probe = Files.createTempFile(directory, "probe", null);
    try {
      return probe.toFile().setExecutable(true) && Files.isExecutable(probe);
    } finally {
      Files.delete(probe);
    }
  }

  private static Optional<Long> pid(Path directory) {
    String name = directory.getFileName().toString();
    return name.matches("\\d{1,18}") ? Optional.of(Long.valueOf(name)) : Optional.empty();
  }

  private static boolean runs(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  private static void remove(Path directory) throws IOException {
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path each : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }
}
