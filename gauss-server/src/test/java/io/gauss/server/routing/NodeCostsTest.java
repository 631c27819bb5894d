package io.gauss.server.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeCostsTest {
  private final NodeCosts costs = new NodeCosts();

  @Test
  void aSlowNodesTransactionsAreMoreWork() {
    costs.add(1, 1000);
    costs.add(2, 1000);
    costs.turn(Map.of(1, 0.6, 2, 0.3));
    assertEquals(2, costs.of(1) / costs.of(2), 1e-9);
  }

  /** What an idle node does is mostly its own business. */
  @Test
  void ofIdleNodesNothingIsConcluded() {
    costs.add(1, 1);
    costs.add(2, 1000);
    costs.turn(Map.of(1, 0.1, 2, 0.1));
    assertEquals(1, costs.of(1));
    assertEquals(1, costs.of(2));
    assertEquals(1, costs.of(3), "of which nothing is known");
  }

  @Test
  void noNodeDiffersByMoreThanTwice() {
    costs.add(1, 1);
    costs.add(2, 1_000_000);
    costs.turn(Map.of(1, 0.9, 2, 0.3));
    assertEquals(2, costs.of(1), 0.5);
    assertEquals(0.5, costs.of(2));
  }
}
