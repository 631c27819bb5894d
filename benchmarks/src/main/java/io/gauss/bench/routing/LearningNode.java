package io.gauss.bench.routing;

import io.gauss.bench.cost.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The compute node that learns, as a process on this machine: kills it and starts it again by its
 * own command line. For one thread.
 */
final class LearningNode {
  private final RoutingOptions options;

  LearningNode(RoutingOptions options) {
    this.options = options;
  }

  /** The process of the compute node in the lowest slot of those that serve. */
  private ProcessHandle process() throws SQLException, IOException {
    int port = port();
    return ServerProcess.at(port)
        .flatMap(server -> ProcessHandle.of(server.pid()))
        .orElseThrow(() -> new IOException("no process of this machine has port " + port));
  }

  private int port() throws SQLException {
    SQLException failure = null;
    for (String address : options.addresses()) {
      try (Connection connection =
              DriverManager.getConnection(
                  "jdbc:gauss://" + address + "/gauss?routing.mode=off",
                  options.user(),
                  options.password());
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT port FROM gauss.nodes WHERE role LIKE '%compute%' AND slot > 0"
                      + " AND port IS NOT NULL" // it serves
                      + " ORDER BY slot LIMIT 1")) {
        if (row.next()) {
          return row.getInt(1);
        }
      } catch (SQLException e) {
        failure = e; // the node that has just been killed
      }
    }
    throw failure == null ? new SQLException("no node learns", "55000") : failure;
  }

  /**
   * Kills it and starts it again, without waiting until it is up.
   *
   * @return its pid before
   * @throws IOException when its command line cannot be read, or it cannot be started
   */
  long killAndStart() throws SQLException, IOException {
    ProcessHandle process = process();
    List<String> command = new ArrayList<>();
    ProcessHandle.Info info = process.info();
    command.add(info.command().orElseThrow(() -> new IOException("its command is not visible")));
    command.addAll(
        Arrays.asList(
            info.arguments().orElseThrow(() -> new IOException("its arguments are not visible"))));
    Path output = Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/fd/1"));
    process.destroyForcibly();
    process.onExit().join();
    new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectInput(Path.of("/dev/null").toFile())
        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
        .start();
    return process.pid();
  }
}
