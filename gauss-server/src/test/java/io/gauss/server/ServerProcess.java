package io.gauss.server;

import io.gauss.common.task.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server in a process of its own, as {@code ./gauss up} starts it, to be killed. For one thread.
 */
final class ServerProcess implements AutoCloseable {
  private static final long START_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(120);

  private static final long END_TIMEOUT_SECONDS = 180;

  private final Path data;
  private final int port;
  private final List<String> options;
  private final List<String> main;
  private Process process;

  ServerProcess(Path data) throws IOException {
    this(data, List.of("io.gauss.server.Main"));
  }

  /**
   * @param main the class whose main method is run, and what it gets before the command line
   */
  ServerProcess(Path data, List<String> main) throws IOException {
    this(data, List.of(), main);
  }

  /**
   * The same.
   *
   * @param options of the JVM, after the usual ones
   */
  ServerProcess(Path data, List<String> options, List<String> main) throws IOException {
    this.data = data;
    this.options = options;
    this.main = main;
    this.port = FreePorts.one();
  }

  int port() {
    return port;
  }

  String url() {
    return "jdbc:gauss://127.0.0.1:" + port + "/gauss?user=gauss";
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  /**
   * Starts it and waits until it answers.
   *
   * @return milliseconds that took
   */
  long start() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(
        List.of(
            "-XX:+UseCompactObjectHeaders",
            "-Xmx1g",
            "-XX:MaxDirectMemorySize=1t",
            "--enable-native-access=ALL-UNNAMED"));
    command.addAll(options);
    command.addAll(
        List.of(
            // Not the tests' own: it is to log as it does when ./gauss starts it.
            "-Dlogback.configurationFile=" + Main.class.getResource("/logback.xml"),
            "-cp",
            System.getProperty("java.class.path")));
    command.addAll(main);
    command.addAll(
        List.of(
            "up",
            "--data",
            data.toString(),
            "--port",
            Integer.toString(port),
            "--set",
            "pool.size=256MB"));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .start();
    while (System.nanoTime() - begin < START_TIMEOUT_NANOS) {
      if (!process.isAlive()) {
        throw new IllegalStateException(
            "the server ended with " + process.exitValue() + "; see " + log());
      }
      try (Connection connection = connect()) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
      } catch (SQLException e) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
    throw new IllegalStateException("the server did not start");
  }

  /** What it has written to its standard output and standard error. */
  Path log() {
    return data.resolveSibling("server.log");
  }

  /**
   * Waits until it ends by itself.
   *
   * @return its exit code
   */
  int awaitEnd() throws InterruptedException {
    if (!process.waitFor(END_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the server does not end");
    }
    return process.exitValue();
  }

  long pid() {
    return process.pid();
  }

  /** SIGKILL, at once. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  @Override
  public void close() throws InterruptedException {
    if (process != null && process.isAlive()) {
      process.destroy();
      if (!process.waitFor(END_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        kill();
      }
    }
  }
}
