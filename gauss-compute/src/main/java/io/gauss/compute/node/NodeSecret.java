package io.gauss.compute.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;

/**
 * Random bytes that only this node knows and that outlive restarts: they give users that do not
 * exist salts that look like those of existing users.
 */
final class NodeSecret {
  private static final String FILE = "authentication.secret";
  private static final int BYTES = 32;

  private NodeSecret() {}

  static byte[] of(Path data) {
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
