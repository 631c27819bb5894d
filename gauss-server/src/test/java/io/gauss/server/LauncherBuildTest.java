package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The launcher in a clone whose path has blanks, with a made-up JDK and a made-up Maven: what it
 * builds, starts and leaves behind.
 */
@Timeout(600)
class LauncherBuildTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Tells the arguments, a line each; the training run makes what {@code training} says. */
  private static final String JAVA =
      """
      #!/usr/bin/env bash
      for argument in "$@"; do
        case $argument in
          io.gauss.server.TrainingRun) is_training=yes ;;
          -XX:AOTCacheOutput=*) output=${argument#*=} ;;
        esac
      done
      if [ -n "${is_training:-}" ]; then
        env >"%1$s/environment"
        echo started >>"%1$s/trainings"
        . "%1$s/training"
        exit
      fi
      printf '%%s\\n' "$@"
      """;

  private static final String MAVEN =
      """
      #!/usr/bin/env bash
      if [ "$1" = -version ]; then
        echo 'Apache Maven 3.9.9'
        exit
      fi
      echo "$*" >>"%1$s/builds"
      mkdir -p gauss-server/target/dist
      touch gauss-server/target/dist/gauss.jar
      """;

  @TempDir private Path directory;
  private Path home;
  private Path jdk;
  private Path programs;
  private Path temporary;
  private Path cache;

  /** A finished run of the launcher, with both of its outputs. */
  private record Run(int exitCode, String output) {
    List<String> lines() {
      return output.lines().toList();
    }
  }

  @BeforeEach
  void aClone() throws IOException {
    home = Files.createDirectories(directory.resolve("a clone of it"));
    jdk = directory.resolve("a jdk");
    programs = Files.createDirectory(directory.resolve("programs"));
    temporary = Files.createDirectory(directory.resolve("temporary"));
    cache = home.resolve("gauss-server/target/dist/gauss.aot");
    Files.copy(ROOT.resolve("gauss"), home.resolve("gauss"));
    Files.createDirectories(home.resolve("launcher"));
    try (Stream<Path> files = Files.list(ROOT.resolve("launcher"))) {
      for (Path file : files.toList()) {
        Files.copy(file, home.resolve("launcher").resolve(file.getFileName()));
      }
    }
    Files.createDirectories(home.resolve("gauss-server/src/main"));
    Files.createFile(home.resolve("pom.xml"));
    Files.createFile(home.resolve("gauss-server/pom.xml"));
    Files.createDirectories(jdk.resolve("bin"));
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    program(jdk.resolve("bin/java"), JAVA.formatted(directory));
    program(jdk.resolve("bin/javac"), "#!/bin/sh\n");
    program(programs.resolve("mvn"), MAVEN.formatted(directory));
    training("echo cache >\"$output\"");
  }

  @Test
  void aCommandStartsWhereThePathHasBlanks() throws Exception {
    Run run = gauss(Map.of(), "status", "--data", "some data");
    assertEquals(0, run.exitCode(), run.output());
    assertTrue(run.lines().contains("-XX:AOTCache=" + cache), run.output());
    int main = run.lines().indexOf(Main.class.getName());
    assertEquals(
        List.of("status", "--data", "some data"),
        run.lines().subList(main + 1, run.lines().size()));
    assertEquals("cache\n", Files.readString(cache));
    Run simulation = gauss(Map.of(), "simulate", "--seed", "1");
    assertTrue(simulation.lines().contains("-XX:AOTCache=" + cache), simulation.output());
    assertEquals(1, Files.readAllLines(directory.resolve("builds")).size());
  }

  /** Maven has help of its own, which says nothing of these commands. */
  @ParameterizedTest
  @ValueSource(strings = {"build", "test", "format"})
  void aCommandOfDevelopersTellsItsUsageAndDoesNothing(String command) throws Exception {
    for (List<String> arguments : List.of(List.of("--help"), List.of("common", "-h"))) {
      List<String> all = new ArrayList<>(List.of(command));
      all.addAll(arguments);
      Run run = gauss(Map.of(), all.toArray(String[]::new));
      assertEquals(0, run.exitCode(), run.output());
      assertTrue(run.lines().getFirst().startsWith("Usage: gauss " + command), run.output());
      assertFalse(Files.exists(directory.resolve("builds")), run.output());
      assertFalse(Files.exists(cache.getParent()));
    }
  }

  @Test
  void optionsOfTheEnvironmentAreWords() throws Exception {
    Run run = gauss(Map.of("GAUSS_JAVA_OPTS", " -Da=1\t-Db=*\n-Dc "), "status");
    int first = run.lines().indexOf("-Da=1");
    assertTrue(first > 0, run.output());
    assertEquals(
        List.of("-Da=1", "-Db=*", "-Dc", Main.class.getName()),
        run.lines().subList(first, first + 4));
  }

  @Test
  void theTrainingRunKnowsNoSettingsOfTheUser() throws Exception {
    Run run = gauss(Map.of("GAUSS_PORT", "1", "GAUSS_HEAP", "3g"), "status");
    assertEquals(0, run.exitCode(), run.output());
    List<String> environment = Files.readAllLines(directory.resolve("environment"));
    assertTrue(environment.stream().anyMatch(line -> line.startsWith("CLASSPATH=")));
    assertEquals(
        List.of(), environment.stream().filter(line -> line.startsWith("GAUSS_")).toList());
    assertTrue(run.lines().contains("-Xmx3g"), run.output());
  }

  @Test
  void anInterruptedTrainingRunLeavesNothingAndIsRepeated() throws Exception {
    Path child = directory.resolve("child");
    training(
        "touch \"$output\" \"$output.config\"; sleep 600 & echo $! >'%1$s.new'; mv '%1$s.new' '%1$s'; wait"
            .formatted(child));
    Process launcher = start(Map.of(), "status");
    while (!Files.exists(child)) {
      assertTrue(launcher.isAlive());
      Thread.sleep(10);
    }
    ProcessHandle inTraining =
        ProcessHandle.of(Long.parseLong(Files.readString(child).strip())).orElseThrow();
    launcher.toHandle().destroy(); // Process.destroy would close its output
    String output = new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(143, launcher.waitFor(), output);
    inTraining.onExit().get();
    assertFalse(output.contains(Main.class.getName()), output);
    assertEquals(List.of(), names(temporary));
    assertEquals(List.of(".built", ".untrained", "gauss.jar"), names(cache.getParent()));

    training("echo cache >\"$output\"");
    Run next = gauss(Map.of(), "status");
    assertEquals(0, next.exitCode(), next.output());
    assertEquals("cache\n", Files.readString(cache));
    assertEquals(1, Files.readAllLines(directory.resolve("builds")).size(), "nothing is rebuilt");
    gauss(Map.of(), "status");
    assertEquals(2, Files.readAllLines(directory.resolve("trainings")).size());
  }

  @Test
  void aTrainingRunThatIsUnderWayIsNotDisturbed() throws Exception {
    gauss(Map.of(), "status");
    Path mark = cache.resolveSibling(".untrained");
    Files.writeString(mark, ProcessHandle.current().pid() + "\n");
    assertEquals(0, gauss(Map.of(), "status").exitCode());
    assertEquals(1, Files.readAllLines(directory.resolve("trainings")).size());
    assertTrue(Files.exists(mark));
  }

  @Test
  void aTrainingRunThatFailsIsNotRepeated() throws Exception {
    training("exit 1");
    Run first = gauss(Map.of(), "status");
    assertTrue(first.output().contains("there is no ahead-of-time cache"), first.output());
    assertTrue(first.output().contains(Main.class.getName()), first.output());
    Run second = gauss(Map.of(), "status");
    assertEquals(0, second.exitCode(), second.output());
    assertEquals(1, Files.readAllLines(directory.resolve("trainings")).size());
    assertEquals(List.of(), names(temporary));
  }

  @Test
  void aUserNeedsNoHome() throws Exception {
    ProcessBuilder builder = builder(Map.of(), "status");
    builder.environment().remove("HOME");
    Run run = finished(builder.start());
    assertEquals(0, run.exitCode(), run.output());
    assertTrue(run.output().contains(Main.class.getName()), run.output());
  }

  @Test
  void sourcesAreFormattedWhereThePathHasBlanks() throws Exception {
    Path source = Files.writeString(home.resolve("A B.java"), "class A {}\n");
    Files.createDirectories(home.resolve("target"));
    Files.writeString(home.resolve("target/format.classpath"), "format.jar");
    Run run = gauss(Map.of(), "format", "--check", source.toString());
    assertEquals(0, run.exitCode(), run.output());
    int main = run.lines().indexOf("com.google.googlejavaformat.java.Main");
    assertEquals(
        List.of("--dry-run", "--set-exit-if-changed", source.toString()),
        run.lines().subList(main + 1, run.lines().size()));
  }

  // ---- the machine

  private void training(String script) throws IOException {
    Files.writeString(directory.resolve("training"), script + "\n");
  }

  private static void program(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  private static List<String> names(Path of) throws IOException {
    try (Stream<Path> files = Files.list(of)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private Run gauss(Map<String, String> variables, String... arguments) throws Exception {
    return finished(start(variables, arguments));
  }

  private static Run finished(Process process) throws Exception {
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), output);
  }

  private Process start(Map<String, String> variables, String... arguments) throws IOException {
    return builder(variables, arguments).start();
  }

  private ProcessBuilder builder(Map<String, String> variables, String... arguments) {
    List<String> command = new ArrayList<>(List.of("bash", home.resolve("gauss").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("GAUSS_"));
    Map<String, String> ours = new HashMap<>(variables);
    ours.put("GAUSS_JAVA_HOME", jdk.toString());
    ours.put("PATH", programs + ":" + environment.get("PATH"));
    ours.put("TMPDIR", temporary.toString());
    environment.putAll(ours);
    return builder;
  }
}
