package io.gauss.server.routing;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** When rounds of learning begin. */
class RoundScheduleTest {
  private static final long SECOND = 1_000_000_000L;
  private static final List<Integer> TWO = List.of(1, 2);
  private static final List<Integer> THREE = List.of(1, 2, 3);

  /** Transfers per transaction. */
  private static final double FEW = 0.5;

  private static final double MANY = 1;

  private final RoundSchedule schedule = new RoundSchedule(0);

  @Test
  void aRoundNeedsSamplesAndNodesToChooseFrom() {
    assertFalse(schedule.isDue(TWO, 0, FEW, 0));
    assertFalse(schedule.isDue(List.of(1), 5, FEW, 0));
    assertTrue(schedule.isDue(TWO, 5, FEW, 0));
  }

  @Test
  void afterARoundIsThePauseThatItAskedFor() {
    schedule.begins(TWO, 0);
    schedule.ends(9000, true, FEW, 3 * SECOND);
    assertFalse(schedule.isDue(TWO, 5, FEW, 11 * SECOND));
    assertFalse(schedule.isDue(TWO, 0, FEW, 12 * SECOND), "without samples");
    assertTrue(schedule.isDue(TWO, 5, FEW, 12 * SECOND));
  }

  @Test
  void otherNodesAreNotToWaitForIt() {
    schedule.begins(TWO, 0);
    schedule.ends(9000, true, FEW, 3 * SECOND);
    assertTrue(schedule.isDue(THREE, 0, FEW, 3 * SECOND));
    schedule.begins(THREE, 3 * SECOND);
    schedule.ends(1500, true, FEW, 4 * SECOND);
    assertFalse(schedule.isDue(THREE, 0, FEW, 60 * SECOND));
    assertTrue(schedule.isDue(TWO, 0, FEW, 60 * SECOND), "one is gone");
  }

  @Test
  void nodesThatComeBeforeTheFirstRoundDoNotBeginOne() {
    assertFalse(schedule.isDue(TWO, 0, FEW, 0));
    assertFalse(schedule.isDue(THREE, 0, FEW, SECOND));
  }

  @Test
  void aRoundThatFailsIsNotRepeatedWithoutAPause() {
    schedule.begins(TWO, 0);
    schedule.ends(0, true, FEW, 2 * SECOND);
    schedule.begins(THREE, 2 * SECOND); // and fails at once
    assertFalse(schedule.isDue(TWO, 5, FEW, 2 * SECOND + 1));
    assertTrue(schedule.isDue(TWO, 5, FEW, 2 * SECOND + RoundSchedule.LEAST_NANOS));
  }

  @Test
  void aRoundThatFailsIsNotInVainAndWhatItWasForIsStillToBeDone() {
    schedule.begins(TWO, 0);
    schedule.ends(0, true, FEW, 2 * SECOND);
    for (int failure = 1; failure <= 3; failure++) {
      long now = 10L * failure * SECOND;
      assertTrue(schedule.isDue(THREE, 0, FEW, now), "one has joined");
      assertTrue(schedule.begins(THREE, now));
      schedule.fails(5000, now);
      assertFalse(schedule.isDue(THREE, 5, FEW, now + 4 * SECOND));
      assertTrue(schedule.isDue(THREE, 0, FEW, now + 5 * SECOND));
    }
  }

  @Test
  void roundsInVainBecomeRarer() {
    long now = 0;
    long pause = 0;
    for (int round = 0; round < 10; round++) {
      schedule.begins(TWO, now);
      schedule.ends(10_000, false, FEW, now);
      long began = now;
      while (!schedule.isDue(TWO, 5, FEW, now)) {
        now += SECOND;
      }
      assertTrue(now - began >= Math.min(2 * pause, RoundSchedule.MOST_NANOS - SECOND));
      pause = now - began;
    }
    assertTrue(pause >= 4 * 60 * SECOND && pause <= RoundSchedule.MOST_NANOS, pause + " ns");
    schedule.begins(TWO, now);
    schedule.ends(10_000, true, FEW, now);
    assertTrue(schedule.isDue(TWO, 5, FEW, now + 10 * SECOND), "it has brought something");
  }

  @Test
  void moreTransfersThanInVainAreAChange() {
    schedule.begins(TWO, 0);
    schedule.ends(9000, false, FEW, 0);
    assertFalse(schedule.isDue(TWO, 5, MANY, 8 * SECOND), "learning keeps to its share");
    assertFalse(schedule.isDue(TWO, 5, FEW, 9 * SECOND));
    assertFalse(schedule.isDue(TWO, 5, Double.NaN, 9 * SECOND));
    assertTrue(schedule.isDue(TWO, 5, MANY, 9 * SECOND));
  }

  @Test
  void aRoundWithTooFewSamplesIsNotInVain() {
    schedule.begins(TWO, 0);
    schedule.ends(0, false, FEW, 2 * SECOND);
    assertTrue(schedule.isDue(TWO, 5, FEW, 2 * SECOND));
  }
}
