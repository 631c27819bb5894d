package io.gauss.server.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clusters of machines that have nothing in common but a network, made and used by the commands of
 * the built distribution: {@code ./gauss test --machines}. {@link MachineScenarios} says what
 * happens to them, {@link TestMachine} what a machine is.
 *
 * <p>Skipped where the system does not let this process have namespaces, or network devices.
 */
@Tag("machines")
class MachinesTest {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final int SECONDS = 1_200;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  @BeforeAll
  static void isBuilt() {
    assumeTrue(
        Files.exists(HOME.resolve("gauss-server/target/dist/.built")),
        "the distribution is not built; ./gauss test --machines does that first");
  }

  private void play(String scenario) throws IOException, InterruptedException {
    Optional<List<String>> isolation = Isolation.prefix();
    assumeTrue(
        isolation.isPresent(),
        "machines need namespaces (Linux; root, or user namespaces), which this system refuses");
    Path base = Files.createDirectory(directory.resolve("machines"));
    List<String> command = new ArrayList<>(Isolation.diesWithItsParent());
    command.addAll(isolation.get());
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Xmx256m", "-XX:+UseSerialGC"));
    for (String property : List.of("gauss.seed", "gauss.faketime")) {
      if (System.getProperty(property) != null) {
        command.add("-D" + property + "=" + System.getProperty(property));
      }
    }
    command.addAll(
        List.of(MachineScenarios.class.getName(), scenario, base.toString(), HOME.toString()));
    Path output = directory.resolve(scenario + ".out");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), () -> read(output));
    } finally {
      process.destroyForcibly(); // and all machines
      process.waitFor();
    }
    assumeTrue(process.exitValue() != MachineScenarios.REFUSED, () -> read(output));
    assertEquals(0, process.exitValue(), () -> read(output));
    read(output).lines().takeWhile(line -> !line.startsWith("----")).forEach(System.out::println);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "nothing was said: " + e;
    }
  }

  @Test
  void aClusterGrowsFromOneMachineToSixAndOneIsDrained() throws Exception {
    play("grow");
  }

  @Test
  void theCommandsOfThePageForUsersDoWhatItSays() throws Exception {
    play("page");
  }

  @Test
  void aMachineTakesThePlaceOfOneThatHasLostItsPower() throws Exception {
    play("lost");
  }

  @Test
  void aMachineThatWasCutOffComesBack() throws Exception {
    play("partition");
  }

  @Test
  void aMachineComesBackAtAnotherAddress() throws Exception {
    play("address");
  }
}
