package io.gauss.server;

import io.gauss.common.task.Later;
import io.gauss.storage.disk.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node that was started as a separate process, with its log next to its data. For one thread. */
final class NodeProcess {
  private static final Logger LOG = LoggerFactory.getLogger(NodeProcess.class);
  private static final int POLL_MS = 100;

  /**
   * Marks a launching process that runs without GAUSS_JAVA_OPTS, so that a port in these is left
   * for the process that it starts.
   */
  static final String OPTIONS_LEFT_OUT = "-Dgauss.java-opts=left-out";

  private static final String OPTIONS_VARIABLE = "GAUSS_JAVA_OPTS";

  /** Exit code of a JVM that has ended because of SIGTERM. */
  private static final int TERMINATED = 128 + 15;

  private final String name;
  private final Path directory;
  private final List<String> command;
  private Process process;

  private NodeProcess(String name, Path directory, List<String> command) throws IOException {
    this.name = name;
    this.directory = directory;
    this.command = command;
    launch();
  }

  /**
   * Starts a node with the options of this process's JVM.
   *
   * @param arguments of the {@code gauss} command line
   */
  static NodeProcess start(String name, Path directory, List<String> arguments) throws IOException {
    PrivateFiles.createDirectory(directory);
    List<String> command = new ArrayList<>();
    ProcessHandle.Info self = ProcessHandle.current().info();
    command.add(self.command().orElseThrow());
    for (String option : self.arguments().orElseThrow()) {
      if (option.equals(OPTIONS_LEFT_OUT)) {
        addLeftOutOptions(command);
        continue;
      }
      command.add(option);
      if (option.equals(Main.class.getName())) {
        break;
      }
    }
    command.addAll(arguments);
    return new NodeProcess(name, directory, command);
  }

  /** Adds what a launching process runs without. */
  static void addLeftOutOptions(List<String> command) {
    for (String option : System.getenv().getOrDefault(OPTIONS_VARIABLE, "").split("\\s+")) {
      if (!option.isEmpty()) {
        command.add(option);
      }
    }
  }

  /** A running node, no matter how it was started; empty when it does not run. */
  static Optional<NodeProcess> running(String name, Path directory) throws IOException {
    NodeProcess found = new NodeProcess(name, directory);
    return found.runs() ? Optional.of(found) : Optional.empty();
  }

  private NodeProcess(String name, Path directory) {
    this.name = name;
    this.directory = directory;
    this.command = List.of();
  }

  private void launch() throws IOException {
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
  }

  /**
   * Starts the node again if it has ended because it lost its place in the cluster, or can continue
   * only by a restart. If it ended for any other reason, that is left to the operator.
   */
  void restartIfLost() throws IOException {
    if (process != null && !process.isAlive() && process.exitValue() == NodeRunner.LOST) {
      LOG.warn("{} has asked to be started again", name);
      launch();
    }
  }

  /**
   * Waits until the node reports that it is up.
   *
   * @throws IllegalStateException when it ended instead
   */
  ClusterFile.Node awaitUp() throws IOException, InterruptedException {
    while (process.isAlive()) {
      Optional<ClusterFile.Node> node = node();
      if (node.isPresent() && node.get().pid() == process.pid() && node.get().answers()) {
        return node.get();
      }
      process.waitFor(POLL_MS, TimeUnit.MILLISECONDS);
    }
    throw new IllegalStateException(name + " did not start; see " + log());
  }

  /** The node's own report. */
  Optional<ClusterFile.Node> node() throws IOException {
    return ClusterFile.read(directory).flatMap(file -> file.nodes().stream().findFirst());
  }

  Path directory() {
    return directory;
  }

  Path log() {
    return directory.resolve(RotatedLog.NAME);
  }

  /**
   * Whether there is a process: the one that was started here, or one that was started after it had
   * been killed.
   */
  boolean runs() throws IOException {
    return (process != null && process.isAlive())
        || node().flatMap(ClusterFile.Node::process).isPresent();
  }

  /**
   * Whether it has stopped because it was asked to: then it has taken itself out of its report, and
   * ended with the exit code for that.
   */
  boolean hasStoppedInOrder() throws IOException {
    boolean failed =
        process != null && process.exitValue() != 0 && process.exitValue() != TERMINATED;
    return !failed && node().isEmpty();
  }

  /** Asks it to stop and waits; uninterruptible, since others depend on the order. */
  void stop() {
    handles().forEach(NodeProcess::stop);
  }

  @Override
  public String toString() {
    return name;
  }

  private static void stop(ProcessHandle handle) {
    handle.destroy();
    handle.onExit().join();
  }

  /** Asks it to stop, and kills it when it takes longer than this: nothing depends on it. */
  void stopOrKill(Duration patience) {
    for (ProcessHandle handle : handles()) {
      handle.destroy();
      try {
        Later.failAfter(handle.onExit(), patience.toMillis(), TimeUnit.MILLISECONDS).join();
      } catch (CompletionException e) {
        LOG.warn("{} does not end within {}; it is killed", name, patience);
        handle.destroyForcibly();
        handle.onExit().join();
      }
    }
  }

  /** The process that was started here, and the one that runs now. */
  private List<ProcessHandle> handles() {
    List<ProcessHandle> handles = new ArrayList<>();
    if (process != null) {
      handles.add(process.toHandle());
    }
    try {
      node().flatMap(ClusterFile.Node::process).ifPresent(handles::add);
    } catch (IOException e) {
      LOG.warn("whether {} still runs cannot be read: {}", name, e.toString());
    }
    return handles;
  }
}
