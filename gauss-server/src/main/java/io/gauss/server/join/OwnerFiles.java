package io.gauss.server.join;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.file.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Small files that only their owner may read. Each is there as a whole or not at all, and what was
 * written or removed stays so when the machine loses power: a token that was used must not come
 * back, nor a node's number.
 */
final class OwnerFiles {
  private OwnerFiles() {}

  /**
   * Replaces what is there.
   *
   * @throws GaussException 58030 when it cannot be written
   */
  static void write(Path file, String text) {
    try {
      WholeFile.createDirectories(file.toAbsolutePath().getParent());
      WholeFile.writeForOwner(file, text);
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot write " + file + ": " + e, e);
    }
  }

  /**
   * @return false when it was gone already
   * @throws GaussException 58030 when it cannot be removed
   */
  static boolean remove(Path file) {
    try {
      return WholeFile.remove(file);
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot remove " + file + ": " + e, e);
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
