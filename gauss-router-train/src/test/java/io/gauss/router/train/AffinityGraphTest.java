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

  private static boolean has(AffinityGraph graph, long group) {
    return Arrays.binarySearch(graph.groups(), group) >= 0;
  }

  /** It touches them more often than the other role its own. */
  @Test
  void aRoleWithManyGroupsPushesNobodysOut() {
    AffinityGraph graph = new AffinityGraph(GROUPS, 1000);
    for (int i = 0; i < 70; i++) {
      graph.add(Traces.of(Traces.visit(i, 2L * i, 2L * i + 1), 10, 1));
    }
    for (int i = 0; i < 50 * GROUPS; i++) {
      long group = 10_000L + i % (5 * GROUPS);
      graph.add(Traces.of(Traces.visit(i, group, group + 1), 11, 2), 1000, 1);
    }
    for (long group = 0; group < 140; group++) {
      assertTrue(has(graph, group), "group " + group);
    }
  }

  @Test
  void aRoleWithManyEdgesPushesNobodysOut() {
    AffinityGraph graph = new AffinityGraph(100 * GROUPS, GROUPS);
    for (int i = 0; i < 100; i++) {
      graph.add(Traces.of(Traces.visit(i, 2L * i, 2L * i + 1), 10, 1));
    }
    for (int i = 0; i < 10 * GROUPS; i++) {
      graph.add(Traces.of(Traces.visit(i, 10_000L + i, 10_001L + i), 11, 2), 1000, 1);
    }
    long[] groups = graph.groups();
    Graph now = graph.snapshot(groups, 2);
    for (int i = 0; i < 200; i++) {
      assertTrue(now.neighbours[i].length == 1, "group " + i);
    }
  }

  /** Each sample of the busy role stands for 10,000 transactions, and weights are relative. */
  @Test
  void aBusyRoleDoesNotMakeItForgetTheOthers() {
    AffinityGraph graph = new AffinityGraph(GROUPS, 1000);
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < 20; i++) {
        graph.add(Traces.of(Traces.visit(i, 1000 + i, 2000 + i), 11, 2), 2, 1);
        graph.add(Traces.of(Traces.visit(i, i, 100 + i), 10, 1), 0.0002, 0.1);
      }
      graph.fade(0.66);
    }
    for (long group = 0; group < 20; group++) {
      assertTrue(has(graph, group) && has(graph, 100 + group), "group " + group);
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
