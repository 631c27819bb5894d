package io.gauss.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/** The JVM's options with which {@code ./gauss} starts a node. */
final class LauncherOptions {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private LauncherOptions() {}

  /**
   * Runs a copy of the launcher with a made-up JDK that tells its arguments.
   *
   * @param directory for the copy
   * @param heap as {@code GAUSS_HEAP} has it
   */
  static List<String> of(Path directory, String heap) throws IOException, InterruptedException {
    Path home = Files.createDirectories(directory.resolve("home"));
    Files.createDirectories(home.resolve("launcher"));
    Files.copy(ROOT.resolve("gauss"), home.resolve("gauss"));
    try (Stream<Path> files = Files.list(ROOT.resolve("launcher"))) {
      for (Path file : files.toList()) {
        Files.copy(file, home.resolve("launcher").resolve(file.getFileName()));
      }
    }
    Path jdk = directory.resolve("jdk");
    Files.createDirectories(jdk.resolve("bin"));
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    for (String program : List.of("java", "javac")) {
      Path file = jdk.resolve("bin").resolve(program);
      Files.writeString(file, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }
    ProcessBuilder builder =
        new ProcessBuilder("bash", home.resolve("gauss").toString(), "up")
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().keySet().removeIf(name -> name.startsWith("GAUSS_"));
    builder.environment().put("GAUSS_JAVA_HOME", jdk.toString());
    builder.environment().put("GAUSS_HEAP", heap);
    Process launcher = builder.start();
    List<String> arguments =
        new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    if (launcher.waitFor() != 0 || !arguments.contains(Main.class.getName())) {
      throw new IllegalStateException("the launcher does not start a JVM: " + arguments);
    }
    return arguments.subList(0, arguments.indexOf(Main.class.getName()));
  }
}
