package io.gauss.server;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.concurrent.Callable;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A small SQL shell over JDBC, for machines without psql. */
@Command(
    name = "sql",
    description = "Run SQL: interactively, or one text by -c.",
    mixinStandardHelpOptions = true)
final class SqlCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "-c", paramLabel = "SQL", description = "Run this and exit.")
  private String command;

  @Option(names = "--url", description = "JDBC URL (default: the node on this machine at --port).")
  private String url;

  @Option(names = "--port", defaultValue = "5432", description = "Port (${DEFAULT-VALUE}).")
  private int port;

  @Option(names = "--user", defaultValue = "gauss", description = "User (${DEFAULT-VALUE}).")
  private String user;

  @Option(
      names = "--password",
      arity = "0..1",
      interactive = true,
      defaultValue = "${env:PGPASSWORD:-}",
      description = "Password; asked for when no value is given (default: PGPASSWORD).")
  private String password;

  @Override
  public Integer call() throws Exception {
    String target =
        url != null ? url : "jdbc:gauss://127.0.0.1:" + port + "/gauss?routing.mode=off";
    try (Connection connection =
        DriverManager.getConnection(target, user, password == null ? "" : password)) {
      PrintWriter out = spec.commandLine().getOut();
      if (command != null) {
        return run(connection, command, out) ? 0 : 1;
      }
      interact(connection, out);
    }
    return 0;
  }

  private static void interact(Connection connection, PrintWriter out) throws Exception {
    try (Terminal terminal = TerminalBuilder.builder().system(true).build()) {
      LineReader reader =
          LineReaderBuilder.builder()
              .terminal(terminal)
              .variable(
                  LineReader.HISTORY_FILE,
                  Path.of(System.getProperty("user.home"), ".gauss_history"))
              .build();
      out.println("Statements end with ;  Leave with \\q or Ctrl-D.");
      out.flush();
      StringBuilder text = new StringBuilder();
      while (true) {
        String line;
        try {
          line = reader.readLine(text.isEmpty() ? "gauss=> " : "gauss-> ");
        } catch (UserInterruptException e) {
          text.setLength(0);
          continue;
        } catch (EndOfFileException e) {
          return;
        }
        if (text.isEmpty() && (line.strip().equals("\\q") || line.strip().equals("exit"))) {
          return;
        }
        text.append(line).append('\n');
        if (line.stripTrailing().endsWith(";")) {
          run(connection, text.toString(), terminal.writer());
          terminal.flush();
          text.setLength(0);
        }
      }
    }
  }

  /** Runs the text and prints every result; false when it failed. */
  private static boolean run(Connection connection, String text, PrintWriter out) {
    try (Statement statement = connection.createStatement()) {
      boolean rows = statement.execute(text);
      while (true) {
        if (rows) {
          ResultPrinter.print(statement.getResultSet(), out);
        } else if (statement.getUpdateCount() >= 0) {
          out.println("OK, " + statement.getUpdateCount() + " rows");
        } else {
          break;
        }
        rows = statement.getMoreResults();
      }
      for (SQLWarning w = statement.getWarnings(); w != null; w = w.getNextWarning()) {
        out.println("WARNING: " + w.getMessage());
      }
      return true;
    } catch (SQLException e) {
      out.println(e.getMessage() + " (SQLSTATE " + e.getSQLState() + ")");
      return false;
    } finally {
      out.flush();
    }
  }
}
