package io.gauss.server;

import io.gauss.server.join.ClusterAuthority;
import io.gauss.server.join.JoinToken;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Gives out a token by which one machine joins the cluster. */
@Command(
    name = "token",
    description = {
      "Print a token with which one machine can join the cluster of this node, by `gauss join`.",
      "Whoever has it can become a node: give it to nobody else."
    },
    mixinStandardHelpOptions = true)
final class TokenCommand implements Callable<Integer> {
  private static final int MOST_MINUTES = 7 * 24 * 60;

  @Spec private CommandSpec spec;

  @Option(names = "--data", description = "Data directory of the node (default: ./data).")
  private Path data = Path.of("data");

  @Option(
      names = "--minutes",
      defaultValue = "60",
      description = "For how long the token is good, 1 to 10080 (${DEFAULT-VALUE}).")
  private int minutes;

  @Override
  public Integer call() throws Exception {
    if (minutes < 1 || minutes > MOST_MINUTES) {
      throw new RefusedException("--minutes " + minutes + ": 1 to " + MOST_MINUTES);
    }
    if (!Files.isDirectory(data)) {
      throw new RefusedException("there is no directory " + data);
    }
    Path directory = data.toRealPath();
    NodeDescription node =
        NodeDescription.read(directory)
            .orElseThrow(
                () ->
                    new RefusedException(
                        data
                            + " is not the directory of a node of a cluster of machines; such a"
                            + " cluster begins with `gauss up --advertise HOST --data` and an empty"
                            + " directory"));
    if (!ClusterAuthority.isIn(directory)) {
      throw new RefusedException(
          "tokens are given out on the machine where the cluster began, which has its certificate"
              + " authority; this is node "
              + node.node());
    }
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    Instant expires = now.plus(Duration.ofMinutes(minutes));
    JoinToken token =
        ClusterAuthority.open(directory).tokens().give(node.host(), node.joinPort(), expires, now);
    PrintWriter err = spec.commandLine().getErr();
    boolean runs =
        ClusterFile.read(directory).stream()
            .flatMap(file -> file.nodes().stream())
            .anyMatch(one -> one.process().isPresent());
    if (!runs) {
      err.println("gauss: the node does not run; start it before the token is used");
    }
    err.println("gauss: good once, until " + expires + ". On the other machine:");
    err.println(
        "  ./gauss join %s:%d --token TOKEN --advertise ITS-HOST --data DIR"
            .formatted(node.host(), node.joinPort()));
    err.flush();
    PrintWriter out = spec.commandLine().getOut();
    out.println(token.text()); // alone, for scripts
    out.flush();
    return 0;
  }
}
