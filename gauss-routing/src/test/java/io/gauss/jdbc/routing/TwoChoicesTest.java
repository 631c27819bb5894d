package io.gauss.jdbc.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TwoChoicesTest {
  private static Topology topology(double... loads) {
    List<ClusterNode> nodes = new ArrayList<>();
    for (double load : loads) {
      nodes.add(new ClusterNode(nodes.size(), "h", nodes.size(), ClusterNode.State.UP, load));
    }
    return new Topology(1, nodes);
  }

  /** Not all to the one that was least busy two seconds ago, and none to the busiest. */
  @Test
  void theLeastBusyGetsMostAndNotAll() {
    Random random = new Random(2);
    Topology topology = topology(0.1, 0.2, 0.3, 0.9);
    int[] counts = new int[4];
    for (int i = 0; i < 6000; i++) {
      counts[TwoChoices.lessBusy(topology, random::nextInt).port()]++;
    }
    assertTrue(counts[0] > 2700 && counts[0] < 3300, "a half: " + counts[0]);
    assertTrue(counts[1] > 1700 && counts[1] < 2300, "a third: " + counts[1]);
    assertEquals(0, counts[3]);
  }

  @Test
  void unknownLoadsDoNotCount() {
    assertNull(TwoChoices.lessBusy(topology(Double.NaN, Double.NaN), n -> 0));
    assertEquals(1, TwoChoices.lessBusy(topology(Double.NaN, 0.5), n -> 0).port());
  }
}
