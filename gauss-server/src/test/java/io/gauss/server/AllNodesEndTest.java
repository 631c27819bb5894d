package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.task.FreePorts;
import io.gauss.storage.disk.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of processes of which all are killed, and started again one by one. */
class AllNodesEndTest {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(300);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  @TempDir private Path directory;
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void endAll() throws Exception {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }

  private Process gauss(String log, String... arguments) throws IOException {
    Process process =
        GaussCommand.process("-Xmx256m", List.of(arguments), directory.resolve(log)).start();
    started.add(process);
    return process;
  }

  private String log(String name) {
    try {
      return Files.readString(directory.resolve(name));
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Waits until this is the state of the only node in the file of a directory. */
  private static ClusterFile.Node await(Path data, String role, String state) throws IOException {
    long begin = System.nanoTime();
    while (true) {
      Optional<ClusterFile.Node> found =
          ClusterFile.read(data).stream()
              .flatMap(file -> file.nodes().stream())
              .filter(node -> node.role().equals(role) && node.state().startsWith(state))
              .findAny();
      if (found.isPresent()) {
        return found.get();
      }
      assertTrue(
          System.nanoTime() - begin < PATIENCE_NANOS, () -> role + " is not " + state + " in time");
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private static int down(Path data) {
    return Commands.run("down", "--data", data.toString(), "--timeout", "180").exitCode();
  }

  private static void kill(ClusterFile.Node node) {
    ProcessHandle process = node.process().orElseThrow();
    process.destroyForcibly();
    process.onExit().orTimeout(PATIENCE_NANOS, TimeUnit.NANOSECONDS).join();
  }

  @Test
  void upSaysThatItsNodesHaveEndedAndDownStopsThoseThatStartHasStarted() throws Exception {
    Path data = PrivateFiles.createDirectory(directory.resolve("data"));
    String port = Integer.toString(FreePorts.one());
    String[] arguments = {"--data", data.toString(), "--port", port, "--set", "pool.size=16MB"};
    List<String> command = new ArrayList<>(List.of("up", "--processes", "--storage", "1"));
    command.addAll(List.of(arguments));
    Process up = gauss("up.log", command.toArray(String[]::new));
    ClusterFile.Node compute = await(data, "compute", "UP");
    kill(await(data, "storage", "UP"));
    kill(compute);
    assertTrue(up.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS), () -> log("up.log"));
    assertEquals(1, up.exitValue(), () -> log("up.log"));
    assertTrue(log("up.log").contains("compute node 1 has ended unasked; see "), log("up.log"));

    Path own = data.resolve("compute-1");
    Process alone =
        gauss("compute.log", "start", "--role", "compute", "--data", "" + own, "--port", port);
    // It waits for the storage node, and can be found already.
    assertEquals(alone.pid(), await(own, "compute", "STARTING").pid());
    assertEquals(0, down(data));
    assertTrue(alone.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS));

    Path storage = data.resolve("storage-201");
    Process first =
        gauss("storage.log", "start", "--role", "storage", "--node", "201", "--data", "" + storage);
    Process second =
        gauss("compute.log", "start", "--role", "compute", "--data", "" + own, "--port", port);
    await(storage, "storage", "UP");
    await(own, "compute", "UP");
    assertEquals(0, down(data));
    assertTrue(first.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS));
    assertTrue(second.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS));
  }
}
