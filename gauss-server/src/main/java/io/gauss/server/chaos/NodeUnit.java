package io.gauss.server.chaos;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * One node and its processes, one after the other. Started by one thread; everything else may be
 * called by any.
 */
final class NodeUnit {
  /** The node has lost its place in the cluster and is to be started again. */
  private static final int LOST = 75;

  private static final int NOT_STARTED = 1;

  private static final String IS_UP = " is up at ";

  private final int number;
  private final List<String> command;
  private final Path log;
  private volatile Process process;
  private volatile long logBegins;
  private volatile boolean isWanted;

  NodeUnit(int number, List<String> command, Path log) {
    this.number = number;
    this.command = List.copyOf(command);
    this.log = log;
  }

  int number() {
    return number;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** Whether it is to run, and nobody has killed or drained it. */
  boolean isWanted() {
    return isWanted;
  }

  /** Only for the thread that starts all nodes: they end with it. */
  void start() throws IOException {
    logBegins = Files.exists(log) ? Files.size(log) : 0;
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    isWanted = true;
  }

  /**
   * Whether it has ended by itself in order to be started again: it has lost its place, or the
   * cluster did not let it in (exit code 1), which an operator would try again.
   */
  boolean hasGivenUp() {
    return isWanted
        && process != null
        && !process.isAlive()
        && (process.exitValue() == LOST || process.exitValue() == NOT_STARTED);
  }

  /** It may end, and is not started again. */
  void leave() {
    isWanted = false;
  }

  /** SIGKILL, and its end. */
  void kill() {
    isWanted = false;
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Sends STOP or CONT, to whatever process it has. */
  void signal(String name) throws IOException {
    Process now = process;
    if (now.isAlive()) {
      Programs.run("kill", "-" + name, Long.toString(now.pid()));
    }
  }

  /** Whether the process that runs now has said that it is up. */
  boolean isUp() {
    return isAlive() && logSince(logBegins).contains(IS_UP);
  }

  /** Its log from a position on. */
  private String logSince(long position) {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      byte[] bytes = new byte[(int) Math.max(0, file.length() - position)];
      file.seek(position);
      file.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  @Override
  public String toString() {
    return Shape.role(number) + " node " + number;
  }
}
