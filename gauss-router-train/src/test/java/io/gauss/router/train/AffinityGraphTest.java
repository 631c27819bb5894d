package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class AffinityGraphTest {
  private static final int GROUPS = 400;

  /** All are touched once: none is better than the others, and none is worse. */
  @Test
  void ofEqualWeightsTheLatestStay() {
    AffinityGraph graph = new AffinityGraph(GROUPS, 1000);
    for (int i = 0; i < 2 * GROUPS; i++) {
      graph.add(Traces.visit(i, i));
      assertTrue(graph.size() <= GROUPS, graph.size() + " groups");
      assertTrue(i < GROUPS || graph.size() >= GROUPS * 3 / 4, graph.size() + " groups");
    }
    long[] latest = LongStream.range(GROUPS * 3L / 2, 2L * GROUPS).toArray();
    assertTrue(Arrays.stream(latest).allMatch(g -> Arrays.binarySearch(graph.groups(), g) >= 0));
  }

  @Test
  void ofEqualEdgesEnoughStay() {
    AffinityGraph graph = new AffinityGraph(10 * GROUPS, GROUPS);
    for (int i = 0; i < 2 * GROUPS; i++) {
      graph.add(Traces.visit(i, 2L * i, 2L * i + 1));
      assertTrue(graph.edges() <= GROUPS, graph.edges() + " edges");
      assertTrue(i < GROUPS || graph.edges() >= GROUPS * 3 / 4, graph.edges() + " edges");
    }
  }

  /** The heaviest stay, whenever they were touched. */
  @Test
  void theLightestGo() {
    AffinityGraph graph = new AffinityGraph(GROUPS, 1000);
    Random random = new Random(3);
    for (int i = 0; i < 10_000; i++) {
      graph.add(Traces.visit(i, random.nextInt(10)));
    }
    for (int i = 0; i < 2 * GROUPS; i++) {
      graph.add(Traces.visit(i, 1000 + i));
    }
    for (long group = 0; group < 10; group++) {
      assertTrue(Arrays.binarySearch(graph.groups(), group) >= 0, "group " + group);
    }
  }

  @Test
  void aUnitComesBackAsOneUnit() {
    AffinityGraph graph = new AffinityGraph(GROUPS, 1000);
    graph.addUnit(new long[] {1, 2, 3}, new double[] {5, 7, 0});
    graph.addUnit(new long[] {4, 5}, new double[] {5, 5});
    int[] unit = Units.of(graph.snapshot(graph.groups(), 2), 2, 1, 1);
    assertEquals("[0, 0, 0, 1, 1]", Arrays.toString(unit));
  }
}
