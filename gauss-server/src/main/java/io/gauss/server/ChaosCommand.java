package io.gauss.server;

import io.gauss.server.chaos.ChaosFailure;
import io.gauss.server.chaos.ChaosRun;
import io.gauss.server.chaos.FaultKind;
import io.gauss.server.chaos.Isolation;
import io.gauss.server.chaos.Shape;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Runs a cluster of processes under clients and faults. The process starts itself once more with
 * namespaces of its own, if the system gives it any, so that links can be cut and disks be filled.
 */
@Command(
    name = "chaos",
    description = {
      "Start a cluster of processes, kill, stop and cut off its nodes under load, and compare what"
          + " clients were told with what is there.",
      "Exit code 0 when nothing is wrong, 4 otherwise. The last line says how many faults there"
          + " were, and what was lost."
    },
    mixinStandardHelpOptions = true)
final class ChaosCommand implements Callable<Integer> {
  private static final int WRONG = 4;
  private static final long SECONDS_PER_MINUTE = 60;

  @Spec private CommandSpec spec;

  @Option(
      names = "--minutes",
      defaultValue = "15",
      description = "No fault begins later than this; one happens at least (${DEFAULT-VALUE}).")
  private double minutes;

  @Option(
      names = "--faults",
      paramLabel = "LIST",
      defaultValue = "all",
      description = "Kinds of faults, separated by commas, see docs/chaos.md (${DEFAULT-VALUE}).")
  private String faults;

  @Option(
      names = "--nodes",
      defaultValue = "3+2+3",
      description = "Compute, memory and storage nodes (${DEFAULT-VALUE}).")
  private String nodes;

  @Option(
      names = "--seed",
      description = "Decides which faults come to which nodes (default: another one each time).")
  private Long seed;

  @Option(
      names = "--data",
      description = "A directory that does not exist yet (default: a temporary one).")
  private Path data;

  @Option(names = "--inside", hidden = true, description = "Has namespaces of its own.")
  private boolean isInside;

  @Override
  public Integer call() throws Exception {
    Shape shape = refused(() -> Shape.parse(nodes));
    List<FaultKind> kinds = refused(() -> FaultKind.parse(faults));
    long chosen = seed == null ? System.nanoTime() : seed;
    if (isInside) {
      return run(new Choice(data, shape, kinds, chosen));
    }
    Choice choice = new Choice(directory(), shape, kinds, chosen);
    Optional<List<String>> isolation = Isolation.prefix();
    int code = isolation.isPresent() ? runInside(isolation.get(), choice) : run(choice);
    if (code == 0) {
      delete(choice.directory());
    }
    return code;
  }

  private record Choice(Path directory, Shape shape, List<FaultKind> kinds, long seed) {}

  private static <T> T refused(Callable<T> parse) throws Exception {
    try {
      return parse.call();
    } catch (IllegalArgumentException e) {
      throw new RefusedException(e.getMessage());
    }
  }

  private Path directory() throws IOException {
    if (data == null) {
      return Files.createTempDirectory("gauss-chaos-").toRealPath();
    }
    if (Files.exists(data)) {
      throw new RefusedException(data + " exists; the run needs a directory of its own");
    }
    return data.toAbsolutePath().normalize();
  }

  private int run(Choice choice) throws IOException {
    ChaosRun.Options options =
        new ChaosRun.Options(
            choice.directory(),
            choice.shape(),
            choice.kinds(),
            (long) (minutes * TimeUnit.SECONDS.toNanos(SECONDS_PER_MINUTE)),
            choice.seed(),
            isInside,
            java());
    try {
      return new ChaosRun(options, spec.commandLine().getOut()).run() ? 0 : WRONG;
    } catch (ChaosFailure e) {
      throw new RefusedException(e.getMessage());
    }
  }

  /** This process's own command line, up to the main class. */
  private static List<String> java() {
    List<String> command = new ArrayList<>();
    ProcessHandle.Info self = ProcessHandle.current().info();
    command.add(self.command().orElseThrow());
    for (String option : self.arguments().orElseThrow()) {
      command.add(option);
      if (option.equals(Main.class.getName())) {
        break;
      }
    }
    return command;
  }

  private int runInside(List<String> prefix, Choice choice)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(Isolation.endsWithItsParent());
    command.addAll(prefix);
    command.addAll(java());
    command.addAll(List.of("chaos", "--inside", "--minutes", "" + minutes, "--faults", faults));
    command.addAll(List.of("--nodes", nodes, "--seed", "" + choice.seed()));
    command.addAll(List.of("--data", "" + choice.directory()));
    PrintWriter out = spec.commandLine().getOut();
    out.flush();
    Process inside = new ProcessBuilder(command).inheritIO().start();
    Thread stop =
        new Thread(
            () -> {
              inside.destroy();
              inside.onExit().join();
            },
            "stop");
    Runtime.getRuntime().addShutdownHook(stop);
    return inside.waitFor();
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
