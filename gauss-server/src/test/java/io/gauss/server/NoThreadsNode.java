package io.gauss.server;

import io.gauss.common.fault.FaultPoints;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** The server's main method, with a thread that gets no other as soon as a file is there. */
final class NoThreadsNode {
  private NoThreadsNode() {}

  /** The first argument is the file, the others are the server's command line. */
  public static void main(String[] args) {
    Path file = Path.of(args[0]);
    FaultPoints.arm(
        "log.before-append",
        () -> {
          if (Files.exists(file)) {
            // As Thread.start throws it; the flags of the JVM for lack of memory do not see it.
            Thread thread =
                new Thread(
                    () -> {
                      throw new OutOfMemoryError("unable to create native thread");
                    });
            thread.start();
          }
        });
    Main.main(Arrays.copyOfRange(args, 1, args.length));
  }
}
