package io.gauss.server.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Programs of the operating system, each run to its end. */
final class Programs {
  private Programs() {}

  /**
   * What a program prints.
   *
   * @throws IOException with its output when it fails, or is not there
   */
  static String run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException(String.join(" ", command) + ": exit code " + code + ": " + output);
      }
      return output;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(command.getFirst() + " was interrupted", e);
    }
  }

  static String run(String... command) throws IOException {
    return run(List.of(command));
  }

  /** Whether it can be run and succeeds. */
  static boolean succeeds(List<String> command) {
    try {
      run(command);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
