package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the image's entry point makes of its arguments, with a made-up {@code gauss} command. */
class EntrypointTest {
  private static final Path ENTRYPOINT = Path.of("../docker/entrypoint").toAbsolutePath();

  @TempDir private Path directory;

  private String run(Map<String, String> variables, String... arguments)
      throws IOException, InterruptedException {
    Path gauss = directory.resolve("gauss");
    Files.writeString(
        gauss, "#!/bin/sh\necho \"$*; clients $GAUSS_LISTEN_ADDRESS, nodes $GAUSS_PEER_LISTEN\"\n");
    Files.setPosixFilePermissions(gauss, PosixFilePermissions.fromString("rwx------"));
    ProcessBuilder builder = new ProcessBuilder("bash", ENTRYPOINT.toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().keySet().removeIf(name -> name.startsWith("GAUSS_"));
    builder.environment().putAll(variables);
    builder.environment().merge("PATH", "", (path, none) -> directory + ":" + path);
    Process process = builder.redirectErrorStream(true).start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertEquals(0, process.waitFor(), output);
    return output;
  }

  @Test
  void oneNodeListensForClientsOnAllAddresses() throws Exception {
    assertEquals("up --data /var/lib/gauss; clients 0.0.0.0, nodes", run(Map.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--role compute", "--role=compute"})
  void aNodeOfAClusterListensOnAllAddressesHoweverItsRoleIsWritten(String role) throws Exception {
    assertEquals(
        "start --data /var/lib/gauss " + role + "; clients 0.0.0.0, nodes 0.0.0.0",
        run(Map.of(), ("start " + role).split(" ")));
  }

  @Test
  void whatIsSetStays() throws Exception {
    Map<String, String> variables =
        Map.of("GAUSS_LISTEN_ADDRESS", "10.0.0.1", "GAUSS_PEER_LISTEN", "10.0.0.2");
    assertEquals(
        "start --data /var/lib/gauss --role=compute; clients 10.0.0.1, nodes 10.0.0.2",
        run(variables, "start", "--role=compute"));
  }
}
