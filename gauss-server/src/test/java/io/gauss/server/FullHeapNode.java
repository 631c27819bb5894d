package io.gauss.server;

import io.gauss.common.fault.FaultPoints;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The server's main method, with a heap that fills up as soon as a file is there. */
final class FullHeapNode {
  private static final int PIECE_BYTES = 1 << 20;

  private FullHeapNode() {}

  /** The first argument is the file, the others are the server's command line. */
  public static void main(String[] args) {
    Path file = Path.of(args[0]);
    FaultPoints.arm(
        "log.before-append",
        () -> {
          List<byte[]> kept = new ArrayList<>();
          while (Files.exists(file)) {
            kept.add(new byte[PIECE_BYTES]);
          }
          System.err.println("not full: " + kept.size() + " MB");
        });
    Main.main(Arrays.copyOfRange(args, 1, args.length));
  }
}
