package io.gauss.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.gauss.bench.cost.RoleCost;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RerouteFiguresTest {
  private static RerouteTurn turn(int round, boolean reroute, double perSecond, double cpu) {
    return new RerouteTurn(
        round,
        reroute,
        perSecond,
        2,
        0.01,
        List.of(
            new RoleCost("compute", 3, cpu / 2, 0.0, 4.0, 0.0, 0.5, 1.0, 1.0, 0.25, Map.of()),
            new RoleCost(RoleCost.CLUSTER, 8, cpu, 0.0, 5.0, 1.0, 0.5, 1.0, 1.0, 0.25, Map.of())));
  }

  /** The second round had twice the speed, which is no difference between the settings. */
  @Test
  void roundsAreComparedWithThemselves() {
    RerouteResult result =
        RerouteResult.of(
            "tpcb",
            List.of(
                turn(1, false, 100, 2),
                turn(1, true, 98, 2.1),
                turn(2, true, 194, 1.05),
                turn(2, false, 200, 1),
                turn(3, false, 100, 2),
                turn(3, true, 101, 2)),
            List.of());
    assertEquals("-2.0 (-3.0 to +1.0)", result.throughputChange().shownAsChange(1));
    assertEquals("+5.0 (+0.0 to +5.0)", result.cpuChange().shownAsChange(1));
    String table = RerouteTable.of(List.of(result));
    assertEquals(
        """
        | tpcb | off | 100 (100 to 200) | 2.00 (2.00 to 2.00) | 2.000 (1.000 to 2.000)\
         | 1.000 (0.500 to 1.000) |  |  | 5.00 (5.00 to 5.00) | 0.500 (0.500 to 0.500)\
         | 25.0 (25.0 to 25.0) | 1.00 (1.00 to 1.00) |
        | tpcb | on | 101 (98 to 194) | 2.00 (2.00 to 2.00) | 2.000 (1.050 to 2.100)\
         | 1.000 (0.525 to 1.050) |  |  | 5.00 (5.00 to 5.00) | 0.500 (0.500 to 0.500)\
         | 25.0 (25.0 to 25.0) | 1.00 (1.00 to 1.00) |
        | tpcb | change, % | -2.0 (-3.0 to +1.0) |  | +5.0 (+0.0 to +5.0) |  |  |  |  |  |  |  |
        """,
        table.substring(table.indexOf("| tpcb")));
  }

  @Test
  void whatIsNotSeenIsLeftOut() {
    RerouteTurn off = new RerouteTurn(1, false, 100, 2, 0, List.of());
    RerouteTurn on = new RerouteTurn(1, true, 110, 2, 0, List.of());
    RerouteResult result = RerouteResult.of("tpcb", List.of(off, on), List.of());
    assertEquals("+10.0 (+10.0 to +10.0)", result.throughputChange().shownAsChange(1));
    assertNull(result.cpuChange());
  }
}
