package io.gauss.compute.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file with a password in its first line. */
final class PasswordFile {
  private PasswordFile() {}

  /**
   * @throws GaussException 58030 when the file cannot be read, 22023 when its first line is empty
   */
  static String read(Path file) {
    String text;
    try {
      text = Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new GaussException(
          SqlState.IO_ERROR, "cannot read the password file " + file + ": " + e, e);
    }
    return text.lines()
        .findFirst()
        .filter(line -> !line.isEmpty())
        .orElseThrow(
            () ->
                new GaussException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "the password file " + file + " has no password in its first line"));
  }
}
