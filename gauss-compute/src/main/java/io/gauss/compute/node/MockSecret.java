package io.gauss.compute.node;

import io.gauss.common.transport.ClusterKeyFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;

/**
 * The secret that gives roles that do not exist salts that look like those of existing ones. It
 * outlives restarts, and is the same on all nodes of a cluster: an existing role has one salt
 * everywhere, so a name whose salt differed from node to node, or from day to day, would not exist.
 */
final class MockSecret {
  private static final String FILE = "authentication.secret";
  private static final byte[] LABEL = "gauss-mock-salts".getBytes(StandardCharsets.US_ASCII);
  private static final int BYTES = 32;

  private MockSecret() {}

  static byte[] of(NodeSettings settings) {
    return settings.storageNodes().isEmpty()
        ? ofNode(settings.data())
        : ClusterKeyFile.read(settings.clusterKey()).mac(LABEL);
  }

  /** Of a node without a cluster: random bytes in a file. */
  private static byte[] ofNode(Path data) {
    Path file = data.resolve(FILE);
    try {
      if (Files.exists(file) && Files.size(file) == BYTES) {
        return Files.readAllBytes(file);
      }
      byte[] secret = new byte[BYTES];
      new SecureRandom().nextBytes(secret);
      Files.deleteIfExists(file);
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.write(file, secret);
      return secret;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
