package io.gauss.bench.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class RoleCostTest {
  private static final ProcessUse.Rates BUSY = new ProcessUse.Rates(0.5, 0.25, 4000, 2000);
  private static final NodeCounts.Rates COUNTS =
      new NodeCounts.Rates(Map.of("a", 300.0, "b", 100.0), 50, 20, 10);

  @Test
  void ratesBecomeFiguresOfATransaction() {
    RoleCost cost = RoleCost.of("compute", BUSY, COUNTS, 200);
    assertEquals(2.5, cost.cpuMillis());
    assertEquals(1.25, cost.childrenCpuMillis());
    assertEquals(3.75, cost.allCpuMillis());
    assertEquals(2, cost.messages());
    assertEquals(Map.of("a", 1.5, "b", 0.5), cost.messagesByType());
    assertEquals(0.25, cost.logForces());
    assertEquals(0.1, cost.pageTransfers());
    assertEquals(20, cost.threadSwitches());
    assertEquals(10, cost.readsAndWrites());
    assertEquals(0.05, cost.forwarded());
  }

  @Test
  void nodesAddUp() {
    RoleCost one = RoleCost.of("storage", BUSY, COUNTS, 200);
    RoleCost sum = one.plus(one);
    assertEquals("storage", sum.role());
    assertEquals(2, sum.nodes());
    assertEquals(5, sum.cpuMillis());
    assertEquals(Map.of("a", 3.0, "b", 1.0), sum.messagesByType());
    assertEquals(
        one,
        new RoleCost(
            "storage", 1, 2.5, 1.25, 2.0, 0.25, 0.1, 20.0, 10.0, 0.05, one.messagesByType()));
    RoleCost cluster = RoleCost.nothing(RoleCost.CLUSTER).plus(one);
    assertEquals(1, cluster.nodes());
    assertEquals(2.5, cluster.cpuMillis());
  }

  /** A sum without one of its parts would look like a cheap cluster. */
  @Test
  void aNodeThatIsNotSeenLeavesTheSumUnknown() {
    RoleCost elsewhere = RoleCost.of("storage", ProcessUse.Rates.UNKNOWN, null, 200);
    assertFalse(elsewhere.isSeen());
    RoleCost sum = RoleCost.of("storage", BUSY, COUNTS, 200).plus(elsewhere);
    assertEquals(2, sum.nodes());
    assertNull(sum.cpuMillis());
    assertNull(sum.allCpuMillis());
    assertNull(sum.messages());
    assertNull(sum.logForces());
  }

  @Test
  void withoutTransactionsNothingIsKnown() {
    RoleCost cost = RoleCost.of("compute", BUSY, COUNTS, 0);
    assertNull(cost.cpuMillis());
    assertNull(cost.messages());
    assertTrue(cost.messagesByType().isEmpty());
  }
}
