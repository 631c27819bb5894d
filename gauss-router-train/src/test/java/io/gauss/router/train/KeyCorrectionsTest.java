package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.jdbc.routing.model.FeatureEncoder;
import io.gauss.jdbc.routing.model.GroupRange;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.Layer;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Values that are looked up, since a network that sends everything to node 1 gets them wrong. */
class KeyCorrectionsTest {
  private static final List<Integer> NODES = List.of(1, 2);
  private static final Map<Long, Integer> OWNERS = Map.of(1L, 1, 2L, 2);

  private static ModelSnapshot corrected(List<TransactionSample> samples, int mostBytes) {
    TransactionHomes homes = new TransactionHomes(samples, OWNERS, NODES);
    FeatureSpace space = FeatureSpace.of(samples, homes);
    List<Integer> rows = IntStream.range(0, samples.size()).boxed().toList();
    RoutingTable table = TableBuilder.build(1, samples, rows, homes, space, RoutingTable.MAX_BYTES);
    int width = FeatureEncoder.width(space.templates().size(), space.columns().size());
    RoutingModel toOne =
        new RoutingModel(
            1,
            space.columns(),
            space.templates(),
            List.of(new Layer(width, 1, new float[width], new float[] {5})),
            List.of(new GroupRange(1, 2)),
            List.of(new NodeShare(1, 0, new float[] {1}), new NodeShare(2, 0, new float[] {0})));
    KeyCorrections.Found found;
    try (ModelSnapshot model = new ModelSnapshot(toOne, new JavaEngine(toOne.layers()))) {
      found = KeyCorrections.of(model, table, samples, rows, homes, NODES, mostBytes);
    }
    RoutingModel with = toOne.with(found.keys());
    return new ModelSnapshot(with, new JavaEngine(with.layers()));
  }

  /**
   * Tenants from 50 on are on node 2, and tenant 25 was seen there once.
   *
   * @param elsewhere of twenty visits of the others, so many were on the other node
   */
  private static int nodeOfTheException(int elsewhere) {
    List<TransactionSample> samples = new ArrayList<>();
    for (int tenant = 0; tenant < 100; tenant++) {
      for (int i = 0; i < (tenant == 25 ? 1 : 20); i++) {
        boolean isUpper = tenant >= 50 == i >= elsewhere;
        samples.add(Traces.visit(tenant, isUpper || tenant == 25 ? 2 : 1));
      }
    }
    try (ModelSnapshot model = corrected(samples, 10_000)) {
      assertEquals(2, UnitModel.node(model, Traces.visit(60, 2)));
      assertEquals(1, UnitModel.node(model, Traces.visit(40, 1)));
      return UnitModel.node(model, Traces.visit(25, 2));
    }
  }

  @Test
  void oneSightingIsNoRule() {
    assertEquals(1, nodeOfTheException(2));
  }

  /** Where values always belong to the same node, one sighting tells which. */
  @Test
  void exceptWhereThereAreNoExceptions() {
    assertEquals(2, nodeOfTheException(0));
  }

  /** There is room for a hundred; one role has thousands, each of which it uses more often. */
  @Test
  void aRolesManyValuesPushNobodysOut() {
    List<TransactionSample> samples = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      TransactionSample own =
          Traces.sample(
              StatementReader.read("UPDATE mine SET v = 1 WHERE k = ?"),
              List.of((long) i),
              Set.of(2L),
              Set.of(2L),
              1);
      samples.addAll(Collections.nCopies(5, Traces.of(own, 11, 2)));
    }
    for (int tenant = 0; tenant < 30; tenant++) {
      samples.addAll(Collections.nCopies(2, Traces.of(Traces.visit(tenant, 2), 10, 1)));
    }
    Collections.shuffle(samples, new Random(5));
    try (ModelSnapshot model = corrected(samples, 500)) {
      for (int tenant = 0; tenant < 30; tenant++) {
        assertEquals(2, UnitModel.node(model, Traces.visit(tenant, 2)), "tenant " + tenant);
      }
    }
  }
}
