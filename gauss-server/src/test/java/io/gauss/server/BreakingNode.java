package io.gauss.server;

import io.gauss.common.fault.FaultPoints;
import io.gauss.common.invariant.Invariant;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** The server's main method, with an invariant that breaks as soon as a file is there. */
final class BreakingNode {
  static final String MESSAGE = "law 5: broken on purpose";

  private BreakingNode() {}

  /** The first argument is the file, the others are the server's command line. */
  public static void main(String[] args) {
    Path file = Path.of(args[0]);
    FaultPoints.arm("log.before-append", () -> Invariant.check(!Files.exists(file), MESSAGE));
    Main.main(Arrays.copyOfRange(args, 1, args.length));
  }
}
