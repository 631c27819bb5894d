package io.gauss.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Prints the nodes of a data directory and their states. Exit code 0 when all are UP, 3 otherwise.
 */
@Command(
    name = "status",
    description = "Show the nodes of a cluster. Exit code 0 when all are UP, else 3.",
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  private static final int NOT_ALL_UP = 3;

  @Option(names = "--data", required = true, description = "Data directory.")
  private Path data;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    List<ClusterFile.Node> nodes = ClusterFile.read(data).map(ClusterFile::nodes).orElse(List.of());
    List<Map<String, Object>> rows = new ArrayList<>();
    boolean allUp = !nodes.isEmpty();
    for (ClusterFile.Node node : nodes) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("id", node.id());
      row.put("role", node.role());
      row.put("host", node.host());
      row.put("port", node.port());
      row.put("pid", node.pid());
      row.put("state", node.state());
      allUp &= row.get("state").equals("UP");
      rows.add(row);
    }
    if (json) {
      System.out.println(
          new ObjectMapper()
              .enable(SerializationFeature.INDENT_OUTPUT)
              .writeValueAsString(Map.of("nodes", rows)));
    } else if (rows.isEmpty()) {
      System.out.println("no cluster was started in " + data);
    } else {
      System.out.printf(
          "%-4s %-10s %-16s %6s %8s %s%n", "id", "role", "host", "port", "pid", "state");
      for (Map<String, Object> row : rows) {
        System.out.printf(
            "%-4s %-10s %-16s %6s %8s %s%n",
            row.get("id"),
            row.get("role"),
            row.get("host"),
            row.get("port"),
            row.get("pid"),
            row.get("state"));
      }
    }
    return allUp ? 0 : NOT_ALL_UP;
  }
}
