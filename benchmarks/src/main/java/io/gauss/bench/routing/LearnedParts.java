package io.gauss.bench.routing;

import io.gauss.bench.Spread;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * What each part of that which is published is worth, by transactions of a load that came later:
 * the judgements of the node that learns, while clients use any node.
 */
public final class LearnedParts {
  private static final int POLL_MILLIS = 1000;

  private final RoutedWorkload workload;
  private final RoutingOptions options;
  private final PrintWriter out;
  private final Map<String, List<Double>> away = new LinkedHashMap<>();
  private String last = "";

  public LearnedParts(RoutedWorkload workload, RoutingOptions options, PrintWriter out) {
    this.workload = workload;
    this.options = options;
    this.out = out;
  }

  /**
   * Runs the load, and collects the judgements after the time set for learning.
   *
   * @return by part, the median of the share of what transactions touch that has to come from other
   *     nodes; empty when there was no judgement
   */
  public Map<String, Double> run(int seconds) throws SQLException, InterruptedException {
    SplittableRandom seeds = new SplittableRandom(options.seed());
    try (RoutedClients clients =
        new RoutedClients(workload, RoutingMode.RANDOM, options, seeds.split(), null, false)) {
      RoutingLoads.loadIfNeeded(workload, options, out);
      clients.run(
          run -> {
            run.pass(1000L * options.learn());
            for (int poll = 0; poll * POLL_MILLIS < 1000 * seconds; poll++) {
              run.pass(POLL_MILLIS);
              look();
            }
            return null;
          });
    }
    Map<String, Double> medians = new LinkedHashMap<>();
    away.forEach(
        (part, all) ->
            medians.put(
                part,
                Spread.of(all.stream().mapToDouble(Double::doubleValue))
                    .map(Spread::median)
                    .orElse(Double.NaN)));
    return medians;
  }

  private void look() throws SQLException {
    for (String address : options.addresses()) {
      try (Connection connection =
              DriverManager.getConnection(
                  "jdbc:gauss://" + address + "/gauss?routing.mode=off",
                  options.user(),
                  options.password());
          Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery("SELECT part, away, judged FROM gauss.routing_parts")) {
        List<String> line = new ArrayList<>();
        while (rows.next()) {
          String judged = rows.getString(3);
          if (line.isEmpty() && judged.compareTo(last) <= 0) {
            break; // nothing new, or of a node that learned before
          }
          last = judged;
          double share = rows.getDouble(2);
          away.computeIfAbsent(rows.getString(1), p -> new ArrayList<>()).add(share);
          line.add(String.format(Locale.ROOT, "%s %.3f", rows.getString(1), share));
        }
        if (!line.isEmpty()) {
          out.printf("%s%n", String.join("; ", line));
          out.flush();
        }
      }
    }
  }
}
