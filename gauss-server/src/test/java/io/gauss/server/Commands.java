package io.gauss.server;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/** Runs commands of the command line in this process. */
final class Commands {
  /**
   * What came of one.
   *
   * @param out lines of its output
   * @param error what it complained of
   */
  record Outcome(int exitCode, List<String> out, String error) {}

  private Commands() {}

  static Outcome run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter error = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(error));
    int exitCode = line.execute(arguments);
    line.getOut().flush();
    line.getErr().flush();
    return new Outcome(exitCode, out.toString().lines().toList(), error.toString());
  }
}
