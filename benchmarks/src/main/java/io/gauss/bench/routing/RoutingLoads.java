package io.gauss.bench.routing;

import io.gauss.bench.WorkloadLoader;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The common parts of the experiments. */
final class RoutingLoads {
  private static final int MOST_SHOWN = 12;

  /**
   * One loader loads in the order of keys, as dumps are restored. Several at once would fill
   * extents with pages of unrelated warehouses, and routing learns by extents.
   */
  private static final int ONE_LOADER = 1;

  private RoutingLoads() {}

  static void loadIfNeeded(RoutedWorkload workload, RoutingOptions options, PrintWriter out)
      throws SQLException, InterruptedException {
    WorkloadLoader loader =
        new WorkloadLoader(
            workload,
            () ->
                DriverManager.getConnection(
                    "jdbc:gauss://"
                        + options.addresses().getFirst()
                        + "/gauss?routing.mode=off&reWriteBatchedInserts=true",
                    options.user(),
                    options.password()),
            ONE_LOADER,
            options.seed(),
            (done, all) -> {});
    if (options.load() || !loader.isLoaded()) {
      out.printf("%s: loaded in %.0f s%n", workload.name(), loader.load());
      out.flush();
    }
  }

  /** Numbers of the live compute nodes, ascending, as drivers know them. */
  static List<Integer> numbers(Connection connection) throws SQLException {
    return numbers(connection, "");
  }

  /** Those of the nodes that take connections. */
  static List<Integer> numbersUp(Connection connection) throws SQLException {
    return numbers(connection, " AND state LIKE 'UP%'");
  }

  private static List<Integer> numbers(Connection connection, String condition)
      throws SQLException {
    List<Integer> numbers = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT id FROM gauss.nodes WHERE role LIKE '%compute%'"
                    + condition
                    + " ORDER BY id")) {
      while (rows.next()) {
        numbers.add(rows.getInt(1));
      }
    }
    return numbers;
  }

  /** How many units each node has, and which ones if there are few. */
  static String shown(int[] assignment, List<Integer> numbers) {
    return numbers.stream()
        .map(
            node -> {
              List<Integer> units =
                  IntStream.range(0, assignment.length)
                      .filter(u -> assignment[u] == node)
                      .boxed()
                      .toList();
              return "on node %d: %s"
                  .formatted(node, units.size() > MOST_SHOWN ? units.size() : units);
            })
        .collect(Collectors.joining(", "));
  }
}
