package io.gauss.compute.sql.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PlanCacheTest {
  /** A cache refuses negative weights, and the statement would fail. */
  @Test
  void theLongestStatementHasAWeight() {
    assertEquals(Integer.MAX_VALUE, PlanCache.weight(64 << 20));
    assertTrue(PlanCache.weight(1_000) < PlanCache.weight(2_000));
  }
}
