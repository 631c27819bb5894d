package io.gauss.server;

import io.gauss.common.error.GaussException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code gauss} command line. Its commands and flags are stable: users script them. */
@Command(
    name = "gauss",
    description = "Gauss, a multi-primary SQL database.",
    mixinStandardHelpOptions = true,
    version = "gauss 0.1.0",
    subcommands = {
      UpCommand.class,
      StartCommand.class,
      TokenCommand.class,
      JoinCommand.class,
      DownCommand.class,
      AddCommand.class,
      DrainCommand.class,
      RemoveCommand.class,
      StatusCommand.class,
      LogCommand.class,
      SqlCommand.class,
      BenchCommand.class,
      ChaosCommand.class
    },
    footer = {
      "",
      "For those who change Gauss: `./gauss build`, `./gauss test [MODULE...] [--long]`, `./gauss"
          + " format`; see CONTRIBUTING.md."
    })
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    Umask.keepOthersOut();
    NameCache.turnOff();
    BrokenInvariants.endThisProcess();
    CommandLine line = commandLine();
    if (args.length == 0) {
      line.usage(System.err);
      System.exit(CommandLine.ExitCode.USAGE);
    }
    System.exit(line.execute(args));
  }

  /** All commands, with their exit codes for failures. */
  static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Main());
    line.setExecutionExceptionHandler(
        (error, command, parsed) -> {
          if (error instanceof RefusedException) {
            command.getErr().println("gauss: " + error.getMessage());
            return CommandLine.ExitCode.USAGE;
          }
          command.getErr().println("gauss: " + message(error));
          if (error instanceof GaussException e) {
            Stream.of(e.detail(), e.hint())
                .filter(Objects::nonNull)
                .forEach(more -> command.getErr().println("  " + more));
          }
          if (isDefect(error) || Boolean.getBoolean("gauss.debug")) {
            error.printStackTrace(command.getErr());
          }
          return CommandLine.ExitCode.SOFTWARE;
        });
    return line;
  }

  /** Whether nobody has expected the error: then its message alone does not say enough. */
  private static boolean isDefect(Throwable error) {
    return error instanceof Error
        || error instanceof RuntimeException
            && !(error instanceof GaussException || error instanceof UncheckedIOException);
  }

  private static String message(Throwable error) {
    return error.getMessage() == null ? error.toString() : error.getMessage();
  }
}
