package io.gauss.server;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about logs. */
@Command(
    name = "log",
    description = "Look at the redo streams of a node or cluster.",
    mixinStandardHelpOptions = true,
    subcommands = LogCatCommand.class)
final class LogCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "Which one? Commands: cat");
  }
}
