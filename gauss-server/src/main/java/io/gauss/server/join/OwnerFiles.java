package io.gauss.server.join;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Small files that only their owner may read. Each is there as a whole or not at all. */
final class OwnerFiles {
  private OwnerFiles() {}

  /**
   * Replaces what is there.
   *
   * @throws GaussException 58030 when it cannot be written
   */
  static void write(Path file, String text) {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try {
      Files.deleteIfExists(fresh);
      Files.createFile(
          fresh,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(fresh, text, StandardCharsets.UTF_8);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot write " + file + ": " + e, e);
    }
  }

  /**
   * @throws GaussException 58030 when it cannot be read
   */
  static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot read " + file + ": " + e, e);
    }
  }
}
