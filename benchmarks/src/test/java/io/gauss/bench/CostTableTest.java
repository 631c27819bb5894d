package io.gauss.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.bench.cost.RoleCost;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CostTableTest {
  private static RoleCost cost(String role, int nodes, Double cpu, Double children, Double counts) {
    return new RoleCost(
        role, nodes, cpu, children, counts, counts, counts, counts, counts, counts, Map.of());
  }

  @Test
  void everyRoleHasALineAndItsChildrenAnother() {
    StringWriter text = new StringWriter();
    try (PrintWriter out = new PrintWriter(text)) {
      CostTable.print(
          List.of(
              cost("compute", 3, 1.25, 0.0625, 2.5),
              cost("storage", 3, 1.0, 0.0, null),
              cost(RoleCost.CLUSTER, 6, 2.25, 0.0625, null),
              cost(RoleCost.CLIENT, 1, 0.5, 0.0, null)),
          out);
    }
    assertEquals(
        List.of(
            "per transaction nodes CPU µs messages log forces page transfers thread switches reads"
                + " and writes",
            "compute 3 1250.0 2.50 2.500 2.500 2.50 2.50",
            "compute, children 62.5",
            "storage 3 1000.0 - - - - -",
            "cluster 6 2250.0 - - - - -",
            "cluster, children 62.5",
            "client 500.0 - -"),
        text.toString().lines().map(line -> line.strip().replaceAll(" +", " ")).toList());
  }
}
