package io.gauss.common.deadlock;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WaitGraphTest {
  @Test
  void twoThatWaitForEachOtherAreACycleAndTheYoungerIsChosen() {
    WaitGraph graph = new WaitGraph();
    graph.set(1, 10, new long[] {2});
    assertEquals(0, graph.cycleThrough(1).length);
    graph.set(2, 20, new long[] {1});
    assertArrayEquals(new long[] {2, 1}, graph.cycleThrough(2));
    assertEquals(2, graph.youngest(graph.cycleThrough(2)));
  }

  @Test
  void aChainIsNoCycle() {
    WaitGraph graph = new WaitGraph();
    graph.set(1, 1, new long[] {2});
    graph.set(2, 2, new long[] {3});
    assertEquals(0, graph.cycleThrough(1).length);
  }

  @Test
  void oneOfSeveralHoldersIsEnoughForACycle() {
    WaitGraph graph = new WaitGraph();
    graph.set(1, 1, new long[] {5, 6, 2});
    graph.set(2, 2, new long[] {7, 1});
    assertEquals(2, graph.cycleThrough(1).length);
  }

  @Test
  void aWaitThatEndedTakesItsCycleAway() {
    WaitGraph graph = new WaitGraph();
    graph.set(1, 1, new long[] {2});
    graph.set(2, 2, new long[] {1});
    graph.remove(1);
    assertEquals(0, graph.cycleThrough(2).length);
  }

  @Test
  void randomGraphsAgreeWithReachability() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.out.println("WaitGraphTest gauss.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 2000; round++) {
      WaitGraph graph = new WaitGraph();
      Map<Long, long[]> edges = new HashMap<>();
      int nodes = 2 + random.nextInt(10);
      for (long node = 0; node < nodes; node++) {
        if (random.nextInt(4) != 0) {
          long[] holders = random.longs(random.nextInt(4), 0, nodes).toArray();
          edges.put(node, holders);
          graph.set(node, random.nextInt(5), holders);
        }
      }
      if (random.nextBoolean()) {
        long gone = random.nextInt(nodes);
        edges.remove(gone);
        graph.remove(gone);
      }
      for (long node = 0; node < nodes; node++) {
        long[] cycle = graph.cycleThrough(node);
        assertEquals(reaches(edges, node, node), cycle.length > 0, "seed " + seed);
        for (int i = 0; i < cycle.length; i++) {
          assertTrue(contains(edges.get(cycle[i]), cycle[(i + 1) % cycle.length]), "seed " + seed);
        }
      }
    }
  }

  private static boolean reaches(Map<Long, long[]> edges, long from, long to) {
    Set<Long> reached = new HashSet<>();
    boolean grew = true;
    for (long first : edges.getOrDefault(from, new long[0])) {
      reached.add(first);
    }
    while (grew) {
      Set<Long> more = new HashSet<>();
      for (long node : reached) {
        for (long next : edges.getOrDefault(node, new long[0])) {
          more.add(next);
        }
      }
      grew = reached.addAll(more);
    }
    return reached.contains(to);
  }

  private static boolean contains(long[] holders, long node) {
    for (long holder : holders) {
      if (holder == node) {
        return true;
      }
    }
    return false;
  }
}
