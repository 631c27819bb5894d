package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.jdbc.routing.model.RoutingTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TableBuilderTest {
  private static final Map<Long, Integer> OWNERS = Map.of(1L, 1, 2L, 2);

  /**
   * Tenants below 50 are on node 1, the others on node 2; one of tenant 25 was seen on node 2.
   *
   * @param times that the others were seen
   */
  private static int nodeOfTheException(int times) {
    List<TransactionSample> samples = new ArrayList<>();
    for (int tenant = 0; tenant < 100; tenant++) {
      for (int i = 0; i < (tenant == 25 ? 1 : times); i++) {
        samples.add(Traces.visit(tenant, tenant < 50 && tenant != 25 ? 1 : 2));
      }
    }
    List<Integer> nodes = List.of(1, 2);
    TransactionHomes homes = new TransactionHomes(samples, OWNERS, nodes);
    RoutingTable table =
        TableBuilder.build(
            1,
            samples,
            IntStream.range(0, samples.size()).boxed().toList(),
            homes,
            FeatureSpace.of(samples, homes),
            RoutingTable.MAX_BYTES);
    assertEquals(1, node(table, 24));
    assertEquals(2, node(table, 99));
    return node(table, 25);
  }

  private static int node(RoutingTable table, long tenant) {
    TransactionSample s = Traces.visit(tenant, 1);
    return table.node(s.template().id(), s.values());
  }

  @Test
  void oneSightingIsNoRule() {
    assertEquals(1, nodeOfTheException(1));
  }

  /** Where values always belong to the same node, one sighting tells which. */
  @Test
  void exceptWhereThereAreNoExceptions() {
    assertEquals(2, nodeOfTheException(3));
  }
}
