package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.ClusterKeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What is said to somebody whose node would be open to others. */
@ExtendWith(NativeProperties.class)
class RefusedStartTest {
  @TempDir private Path directory;
  private Path key;

  @BeforeEach
  void makeKey() {
    key = directory.resolve(ClusterKeyFile.NAME);
    ClusterKeyFile.ensure(key);
  }

  private String refusal(String role, String... settings) {
    List<String> arguments = new ArrayList<>(List.of("start", "--role", role, "--node"));
    arguments.add(role.equals("storage") ? "201" : "1");
    arguments.addAll(List.of("--data", directory.resolve(role).toString()));
    arguments.addAll(List.of("--set", "storage.nodes=201@127.0.0.1:7000:7100"));
    arguments.addAll(List.of("--set", "cluster.key=" + key));
    for (String setting : settings) {
      arguments.addAll(List.of("--set", setting));
    }
    Commands.Outcome outcome = Commands.run(arguments.toArray(String[]::new));
    assertEquals(1, outcome.exitCode(), outcome.error());
    return outcome.error();
  }

  @Test
  void howANodeIsMadeSafeThatOthersCanReachIsSaid() {
    for (String role : List.of("storage", "memory", "compute")) {
      String error = refusal(role, "peer.listen=0.0.0.0");
      assertTrue(error.contains("gauss: other machines can reach this node at 0.0.0.0"), error);
      assertTrue(error.contains("Set peer.tls.certificate, peer.tls.key and"), error);
      assertTrue(error.contains("peer.plaintext = on"), error);
    }
  }

  @Test
  void aKeyThatOthersCanReadIsRefusedWhereverItIs() throws IOException {
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
    for (String role : List.of("storage", "memory", "compute")) {
      String error = refusal(role);
      assertTrue(error.contains("chmod go= '" + key + "'"), error);
    }
  }
}
