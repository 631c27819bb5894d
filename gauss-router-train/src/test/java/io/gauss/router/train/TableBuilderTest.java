package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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

  /** A thousand templates and their ranges, of which there is room for few. */
  @Test
  void aRolesManyRangesPushNobodysOut() {
    List<TransactionSample> samples = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      TransactionSample own =
          Traces.sample(
              StatementReader.read("UPDATE t%d SET v = 1 WHERE k = ?".formatted(i % 2000)),
              List.of(i / 2000 % 2L),
              Set.of(1L + i / 2000 % 2),
              Set.of(),
              1);
      samples.add(Traces.of(own, 11, 2));
    }
    for (int tenant = 0; tenant < 50; tenant++) {
      samples.addAll(
          Collections.nCopies(3, Traces.of(Traces.visit(tenant, 1 + tenant % 2), 10, 1)));
    }
    TransactionHomes homes = new TransactionHomes(samples, OWNERS, List.of(1, 2));
    Map<String, ColumnProfile> columns = new TreeMap<>();
    for (int i = 0; i < 2000; i++) {
      columns.put("t" + i, profile("t%d.k".formatted(i)));
    }
    columns.put("visit", profile("visit.tenant"));
    FeatureSpace space = new FeatureSpace(List.copyOf(columns.values()), List.of(), Map.of());
    RoutingTable table =
        TableBuilder.build(
            1, samples, IntStream.range(0, samples.size()).boxed().toList(), homes, space, 40_000);
    for (int tenant = 0; tenant < 50; tenant++) {
      assertEquals(1 + tenant % 2, node(table, tenant), "tenant " + tenant);
    }
    assertTrue(Publication.write(table).length <= 40_000);
  }

  private static ColumnProfile profile(String column) {
    return new ColumnProfile(
        column, ColumnProfile.Kind.NUMBER, "", new double[] {0, 20_000}, 9, false);
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
