package io.gauss.bench.routing;

import io.gauss.bench.cost.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Makes a node of this machine slower: its process stands still for a part of each 40 ms, as one on
 * a machine that other work keeps busy. Needs a POSIX shell and the right to send the process
 * signals.
 */
public final class SlowNode implements AutoCloseable {
  private static final int PERIOD_MILLIS = 40;

  private final Process loop;

  /**
   * @param port at which it listens for clients
   * @param stillPercent of the time that it stands still, 1 to 95
   * @throws UncheckedIOException when there is no shell
   * @throws IllegalArgumentException for another percentage, or when no process has the port
   */
  public SlowNode(int port, int stillPercent) {
    if (stillPercent < 1 || stillPercent > 95) {
      throw new IllegalArgumentException(stillPercent + " %: from 1 to 95");
    }
    long pid =
        ServerProcess.at(port)
            .orElseThrow(() -> new IllegalArgumentException("no process listens at " + port))
            .pid();
    double still = PERIOD_MILLIS / 1000.0 * stillPercent / 100;
    double runs = PERIOD_MILLIS / 1000.0 - still;
    String script =
        String.format(
            Locale.ROOT,
            "trap 'kill -CONT %1$d; exit 0' TERM INT HUP;"
                + " while kill -STOP %1$d && sleep %2$.3f && kill -CONT %1$d && kill -0 %3$d;"
                + " do sleep %4$.3f; done; kill -CONT %1$d",
            pid,
            still,
            ProcessHandle.current().pid(),
            runs);
    try {
      loop =
          new ProcessBuilder("sh", "-c", script)
              .redirectErrorStream(true)
              .redirectOutput(Path.of("/dev/null").toFile())
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The node runs as before. */
  @Override
  public void close() {
    loop.destroy();
    loop.onExit().join();
  }
}
