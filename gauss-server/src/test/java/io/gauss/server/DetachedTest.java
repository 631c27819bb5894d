package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gauss.common.task.FreePorts;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code up --detach}, status and down as processes of their own, as the launcher runs them. */
class DetachedTest {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

  @TempDir private Path directory;

  @Test
  void aNodeWithAJmxPortStartsInTheBackgroundAndServesMetrics() throws Exception {
    int jmx = FreePorts.one();
    int metrics = FreePorts.one();
    String data = directory.resolve("data").toString();
    String options =
        "-Dcom.sun.management.jmxremote.port=%d -Dcom.sun.management.jmxremote.authenticate=false"
                .formatted(jmx)
            + " -Dcom.sun.management.jmxremote.ssl=false"
            + " -Dcom.sun.management.jmxremote.host=127.0.0.1";
    try {
      assertEquals(
          0,
          gauss(
              options,
              "up",
              "--detach",
              "--data",
              data,
              "--port",
              Integer.toString(FreePorts.one()),
              "--set",
              "pool.size=16MB",
              "--set",
              "metrics.port=" + metrics));
      awaitStatus(data);
      awaitPages(data);
      assertEquals(200, status("http://127.0.0.1:" + metrics + "/health"));
      assertEquals(200, status("http://127.0.0.1:" + metrics + "/metrics"));
      assertTrue(isTaken(jmx), "the node listens for JMX");
    } finally {
      assertEquals(0, gauss("", "down", "--data", data, "--timeout", "300"));
    }
    assertEquals(3, gauss("", "status", "--data", data));
  }

  /** The command waits a second or two for the node, and not for one that stalls. */
  private void awaitStatus(String data) throws Exception {
    long begin = System.nanoTime();
    while (gauss("", "status", "--data", data) != 0) {
      assertTrue(System.nanoTime() - begin < PATIENCE_NANOS, read(log()));
    }
  }

  /** They may be some milliseconds behind the log that the start has written. */
  private static void awaitPages(String data) throws IOException {
    long begin = System.nanoTime();
    String row;
    do {
      row = Commands.run("status", "--data", data).out().getLast().strip();
      assertTrue(System.nanoTime() - begin < PATIENCE_NANOS, row);
    } while (!row.matches("1 +\\d+ +\\d+ +\\d+@1 +[1-9]\\d* +\\d+"));
    Commands.Outcome json;
    do {
      json = Commands.run("status", "--json", "--data", data);
      assertTrue(System.nanoTime() - begin < PATIENCE_NANOS, json.out()::toString);
    } while (!String.join("", json.out()).contains("applied"));
    JsonNode stream =
        new ObjectMapper().readTree(String.join("\n", json.out())).path("streams").path(0);
    long applied = stream.path("applied").asLong();
    assertTrue(applied > 0, stream.toString());
    assertTrue(stream.path("checkpointed").asLong() <= applied, stream.toString());
  }

  private static int status(String uri) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create(uri)).build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    }
  }

  private static boolean isTaken(int port) {
    try (ServerSocket free = new ServerSocket(port)) {
      return free.getLocalPort() != port;
    } catch (IOException e) {
      return true;
    }
  }

  /** Runs a command to its end and returns its exit code. */
  private int gauss(String javaOptions, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(
        List.of(
            "-XX:+UseCompactObjectHeaders",
            "-Xmx512m",
            "-XX:MaxDirectMemorySize=1t",
            "--enable-native-access=ALL-UNNAMED",
            "-Dgauss.java-opts=left-out",
            "io.gauss.server.Main"));
    command.addAll(Arrays.asList(arguments));
    Path log = log();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().put("GAUSS_JAVA_OPTS", javaOptions);
    Process process = builder.start();
    assertTrue(process.waitFor(600, TimeUnit.SECONDS), () -> read(log));
    return process.exitValue();
  }

  private Path log() {
    return directory.resolve("commands.log");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
