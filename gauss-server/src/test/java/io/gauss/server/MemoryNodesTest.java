package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.task.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Memory nodes as {@code up --processes} starts them, and what the command line refuses. */
@Timeout(900)
class MemoryNodesTest {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(300);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  @TempDir private Path directory;
  private int port;
  private Process compute;

  @Test
  void rowsStayWhenOneOfTwoMemoryNodesIsKilledAndThenTheComputeNode() throws Exception {
    String data = directory.resolve("data").toString();
    try {
      assertEquals(0, up(data), () -> log("commands.log"));
      await(data, "101 +memory .* UP");
      await(data, "102 +memory .* UP");
      await(data, "node 101 is home of 2048 buckets");
      await(data, "node 102 is home of 2048 buckets");
      execute(
          "CREATE TABLE t (id int PRIMARY KEY, v text)",
          "INSERT INTO t SELECT g, repeat('v', 200) FROM generate_series(1, 50000) AS g");
      kill(data, 101);
      execute("UPDATE t SET v = 'w' WHERE id % 2 = 0");
      await(data, "node 102 is home of 4096 buckets");
      assertEquals("50000 25000", sums());
      kill(data, 1);
      compute =
          java(
              "compute.log",
              List.of(
                  "start",
                  "--role",
                  "compute",
                  "--data",
                  data + "/compute-1",
                  "--port",
                  Integer.toString(port),
                  "--set",
                  "pool.size=16MB"));
      assertEquals("50000 25000", sums());
      execute("UPDATE t SET v = 'w'");
      assertEquals("50000 50000", sums());
    } finally {
      if (compute != null) {
        compute.destroy();
        compute.waitFor();
      }
      assertEquals(0, Commands.run("down", "--data", data, "--timeout", "300").exitCode());
    }
    assertTrue(launcher().isEmpty(), "whoever removes the directory now meets nobody");
  }

  /** The process of {@code up}, which has started the nodes. */
  private Optional<ProcessHandle> launcher() {
    Matcher said = Pattern.compile("Gauss is up \\(pid (\\d+)\\)").matcher(log("commands.log"));
    assertTrue(said.find());
    return ProcessHandle.of(Long.parseLong(said.group(1))).filter(ProcessHandle::isAlive);
  }

  private static void kill(String data, int node) throws IOException {
    ClusterFile.Node found =
        ClusterFile.read(Path.of(data)).orElseThrow().nodes().stream()
            .filter(one -> one.id() == node)
            .findAny()
            .orElseThrow();
    ProcessHandle process = found.process().orElseThrow();
    process.destroyForcibly();
    process.onExit().join();
  }

  /** As soon as there is a node. */
  private Connection connect() {
    long begin = System.nanoTime();
    while (true) {
      try {
        return DriverManager.getConnection(
            "jdbc:postgresql://127.0.0.1:" + port + "/gauss?user=gauss");
      } catch (SQLException e) {
        assertTrue(System.nanoTime() - begin < PATIENCE_NANOS, () -> e + log("compute.log"));
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }

  private String sums() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT count(*), count(*) FILTER (WHERE v = 'w') FROM t")) {
      row.next();
      return row.getLong(1) + " " + row.getLong(2);
    }
  }

  private int up(String data) throws IOException, InterruptedException {
    port = FreePorts.one();
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "up",
                "--processes",
                "--detach",
                "--storage",
                "1",
                "--memory",
                "2",
                "--data",
                data));
    arguments.addAll(List.of("--port", Integer.toString(port), "--set", "pool.size=16MB"));
    arguments.addAll(List.of("--set", "directory.entries=10000", "--set", "cache.size=4MB"));
    // Nobody is to be taken for dead but those who are: a busy machine may stall for 3 seconds.
    arguments.addAll(List.of("--set", "cluster.lease=30", "--set", "storage.timeout=60"));
    Process process = java("commands.log", arguments);
    assertTrue(process.waitFor(300, TimeUnit.SECONDS), () -> log("commands.log"));
    return process.exitValue();
  }

  private Process java(String log, List<String> arguments) throws IOException {
    return GaussCommand.process("-Xmx256m", arguments, directory.resolve(log)).start();
  }

  private String log(String name) {
    try {
      return Files.readString(directory.resolve(name));
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Waits for a line of {@code status}; it does not wait long for nodes to answer. */
  private static void await(String data, String line) {
    long begin = System.nanoTime();
    while (true) {
      List<String> status = Commands.run("status", "--data", data).out();
      if (status.stream().anyMatch(each -> each.matches(line))) {
        return;
      }
      assertTrue(
          System.nanoTime() - begin < PATIENCE_NANOS,
          () -> "\"" + line + "\" is not in\n" + String.join("\n", status));
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  @Test
  void memoryNodesNeedProcessesOfTheirOwnAndANumber() {
    String data = directory.resolve("none").toString();
    Commands.Outcome embedded = Commands.run("up", "--memory", "1", "--data", data);
    assertEquals(2, embedded.exitCode());
    assertTrue(embedded.error().contains("add --processes"), embedded.error());
    Commands.Outcome many =
        Commands.run("up", "--processes", "--storage", "1", "--memory", "9", "--data", data);
    assertEquals(2, many.exitCode());
    assertTrue(many.error().contains("--memory 9: 0 to 8"), many.error());
    Commands.Outcome unnumbered = Commands.run("start", "--role", "memory", "--data", data);
    assertEquals(2, unnumbered.exitCode());
    assertTrue(unnumbered.error().contains("--role memory needs --node"), unnumbered.error());
  }
}
