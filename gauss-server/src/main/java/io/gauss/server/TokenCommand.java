package io.gauss.server;

import io.gauss.server.join.JoinToken;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
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
    if (!Files.isDirectory(data)) {
      throw new RefusedException("there is no directory " + data);
    }
    Path directory = data.toRealPath();
    JoinTokens tokens = JoinTokens.of(directory, minutes);
    JoinToken token = tokens.give();
    PrintWriter err = spec.commandLine().getErr();
    boolean runs =
        ClusterFile.read(directory).stream()
            .flatMap(file -> file.nodes().stream())
            .anyMatch(one -> one.process().isPresent());
    if (!runs) {
      err.println("gauss: the node does not run; start it before the token is used");
    }
    err.println("gauss: good once, until " + tokens.expires() + ". On the other machine:");
    err.println("  " + tokens.command("TOKEN"));
    err.flush();
    PrintWriter out = spec.commandLine().getOut();
    out.println(token.text()); // alone, for scripts
    out.flush();
    return 0;
  }
}
