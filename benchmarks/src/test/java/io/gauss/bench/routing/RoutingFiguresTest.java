package io.gauss.bench.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class RoutingFiguresTest {
  private static ModeResult result(RoutingMode mode, double transfers, double perSecond) {
    RoleCpu cpu = new RoleCpu(2, 0.5, 1, Double.NaN);
    return new ModeResult(mode, transfers, 0.5, perSecond, 10, 0.97, 0.4, 0.01, cpu, 3);
  }

  @Test
  void theTableHasMediansWithLeastAndMost() {
    String table =
        RoutingTable.of(
            List.of(RoutingMode.RANDOM, RoutingMode.TABLE),
            List.of(
                result(RoutingMode.RANDOM, 3, 100),
                result(RoutingMode.TABLE, 0.1, 300),
                result(RoutingMode.RANDOM, 1, 120),
                result(RoutingMode.RANDOM, 2.5, 80)));
    assertEquals(
        """
        | random | 2.500 (1.000 to 3.000) | 50.0 (50.0 to 50.0) | 100 (80 to 120)\
         | 10.0 (10.0 to 10.0) | 40 (40 to 40) |  | 1.00 (1.00 to 1.00)\
         | 2.00 (2.00 to 2.00) | 0.50 (0.50 to 0.50) | 1.00 (1.00 to 1.00) |  |
        | table | 0.100 (0.100 to 0.100) | 50.0 (50.0 to 50.0) | 300 (300 to 300)\
         | 10.0 (10.0 to 10.0) | 40 (40 to 40) | 97.0 (97.0 to 97.0) | 1.00 (1.00 to 1.00)\
         | 2.00 (2.00 to 2.00) | 0.50 (0.50 to 0.50) | 1.00 (1.00 to 1.00) |  |
        """,
        table.substring(table.indexOf("| random")));
  }

  @Test
  void countsBecomeRatios() {
    TransferCounts before = new TransferCounts(10, 100, 5, 50, 5);
    TransferCounts now = new TransferCounts(30, 400, 35, 250, 45);
    TransferCounts counts = now.since(before);
    assertEquals(1.5, counts.perTransaction());
    assertEquals(0.8, counts.ownedShare(), 1e-9);
    assertTrue(Double.isNaN(TransferCounts.NONE.perTransaction()));
    assertTrue(Double.isNaN(TransferCounts.NONE.ownedShare()));
  }

  /** Whether a mode has settled after seconds of 100 transactions with so many transfers. */
  private static boolean hasSettled(int... transfers) {
    List<TransferCounts> seen = new ArrayList<>(List.of(TransferCounts.NONE));
    for (int each : transfers) {
      seen.add(seen.getLast().plus(new TransferCounts(100, 0, each, 0, 0)));
    }
    return RoutingComparison.hasSettled(seen);
  }

  @Test
  void aModeHasSettledWhenItsTransfersNoLongerChangeMuch() {
    assertFalse(hasSettled(300, 300, 300));
    assertTrue(hasSettled(900, 300, 310, 280, 300));
    assertFalse(hasSettled(300, 300, 260, 250));
    assertFalse(hasSettled(300, 300, 350, 360));
  }

  @Test
  void oneTransferMoreOrLessInAHundredTransactionsIsNoChange() {
    assertTrue(hasSettled(1, 2, 2, 3));
    assertFalse(hasSettled(1, 2, 4, 5));
  }

  @Test
  void transfersAreBackWhenTheMeanOfThreeSecondsIsLowEnough() {
    List<Double> after = List.of(2.0, 1.0, 0.5, 0.61, 0.59, 0.6, 0.4);
    assertEquals(OptionalInt.of(5), MovedHotSpot.backAfter(0.5, after));
    assertEquals(OptionalInt.empty(), MovedHotSpot.backAfter(0.5, after.subList(0, 4)));
  }

  @Test
  void nextToNoTransfersAreLowEnoughWhateverWasBefore() {
    assertEquals(OptionalInt.of(3), MovedHotSpot.backAfter(0, List.of(0.04, 0.05, 0.03)));
  }

  @Test
  void theShareOfANodeIsThatOfTheLastPolls() {
    JoiningNode.ShareOfNode share = new JoiningNode.ShareOfNode(2);
    assertEquals(0, share.seen(0, 1000));
    assertEquals(0.1, share.seen(10, 1100), 1e-9);
    assertEquals(0.3, share.seen(60, 1200), 1e-9);
    assertEquals(0.5, share.seen(110, 1300), 1e-9);
  }

  @Test
  void processorTimeIsPerTransaction() {
    RoleCpu cpu = new RoleCpu(3, 2, 1, 5).since(new RoleCpu(1, 1, Double.NaN, 4));
    assertEquals(new RoleCpu(20, 10, Double.NaN, 10), cpu.perTransaction(100));
  }

  @Test
  void whatRunsElsewhereIsComparedByUnit() {
    UnitTally before = new UnitTally();
    UnitTally after = new UnitTally();
    for (int i = 0; i < 3; i++) {
      before.ran(0, 1);
      before.ran(1, 2);
      after.ran(0, 1);
      after.ran(1, 3);
      after.ran(7, 3); // was not there before
    }
    before.ran(0, 2);
    assertEquals(0.5, after.elsewhereThan(before), 1e-9);
    assertTrue(Double.isNaN(after.elsewhereThan(new UnitTally())));
  }

  @Test
  void modesHaveTheLabelsOfTheirOptions() {
    for (RoutingMode mode : RoutingMode.values()) {
      assertEquals(mode, RoutingMode.of(mode.label()));
    }
    assertEquals("model-djl", RoutingMode.MODEL_DJL.label());
    assertThrows(IllegalArgumentException.class, () -> RoutingMode.of("best"));
  }
}
