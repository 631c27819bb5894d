package io.gauss.bench.routing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OracleAssignmentTest {
  private static final List<Integer> NODES = List.of(1, 2, 5);

  private static void ran(UnitTally trace, int unit, int node, int times) {
    for (int i = 0; i < times; i++) {
      trace.ran(unit, node);
    }
  }

  private static long units(int[] assignment, int node) {
    return Arrays.stream(assignment).filter(n -> n == node).count();
  }

  @Test
  void unitsStayWhereMostOfThemRan() {
    UnitTally trace = new UnitTally();
    for (int unit = 0; unit < 6; unit++) {
      ran(trace, unit, NODES.get(unit % 3), 80);
      ran(trace, unit, NODES.get((unit + 1) % 3), 20);
    }
    assertArrayEquals(new int[] {1, 2, 5, 1, 2, 5}, OracleAssignment.of(trace, 6, NODES));
  }

  @Test
  void noNodeHasMoreThanItsShareAndALittle() {
    UnitTally trace = new UnitTally();
    for (int unit = 0; unit < 30; unit++) {
      ran(trace, unit, 1, 100);
    }
    int[] assignment = OracleAssignment.of(trace, 30, NODES);
    for (int node : NODES) {
      assertTrue(units(assignment, node) >= 9 && units(assignment, node) <= 11, "node " + node);
    }
  }

  @Test
  void unitsThatTheTraceLacksAreSpreadEvenly() {
    int[] assignment = OracleAssignment.of(new UnitTally(), 9, NODES);
    for (int node : NODES) {
      assertEquals(3, units(assignment, node), "node " + node);
    }
  }

  @Test
  void theBusiestNodeIsTheOneThatRanMost() {
    UnitTally trace = new UnitTally();
    ran(trace, 0, 1, 10);
    ran(trace, 1, 2, 20);
    ran(trace, 2, 1, 30);
    assertEquals(40.0 / 60, trace.busiestShare(), 1e-9);
    assertTrue(Double.isNaN(new UnitTally().busiestShare()));
  }

  @Test
  void aUnitThatIsTooHeavyForAnyNodeHasOneToItself() {
    UnitTally trace = new UnitTally();
    ran(trace, 0, 2, 900);
    ran(trace, 1, 2, 50);
    ran(trace, 2, 2, 50);
    int[] assignment = OracleAssignment.of(trace, 3, NODES);
    assertEquals(1, units(assignment, assignment[0]));
  }
}
