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

  private final RoundSchedule schedule = new RoundSchedule(0);

  @Test
  void aRoundNeedsSamplesAndNodesToChooseFrom() {
    assertFalse(schedule.isDue(TWO, 0, 0));
    assertFalse(schedule.isDue(List.of(1), 5, 0));
    assertTrue(schedule.isDue(TWO, 5, 0));
  }

  @Test
  void afterARoundIsThePauseThatItAskedFor() {
    schedule.begins(TWO, 0);
    schedule.ends(9000, 3 * SECOND);
    assertFalse(schedule.isDue(TWO, 5, 11 * SECOND));
    assertFalse(schedule.isDue(TWO, 0, 12 * SECOND), "without samples");
    assertTrue(schedule.isDue(TWO, 5, 12 * SECOND));
  }

  @Test
  void otherNodesAreNotToWaitForIt() {
    schedule.begins(TWO, 0);
    schedule.ends(9000, 3 * SECOND);
    assertTrue(schedule.isDue(THREE, 0, 3 * SECOND));
    schedule.begins(THREE, 3 * SECOND);
    schedule.ends(1500, 4 * SECOND);
    assertFalse(schedule.isDue(THREE, 0, 60 * SECOND));
    assertTrue(schedule.isDue(TWO, 0, 60 * SECOND), "one is gone");
  }

  @Test
  void nodesThatComeBeforeTheFirstRoundDoNotBeginOne() {
    assertFalse(schedule.isDue(TWO, 0, 0));
    assertFalse(schedule.isDue(THREE, 0, SECOND));
  }

  @Test
  void aRoundThatFailsIsNotRepeatedWithoutAPause() {
    schedule.begins(TWO, 0);
    schedule.ends(0, 2 * SECOND);
    schedule.begins(THREE, 2 * SECOND); // and fails at once
    assertFalse(schedule.isDue(TWO, 5, 2 * SECOND + 1));
    assertTrue(schedule.isDue(TWO, 5, 2 * SECOND + RoundSchedule.LEAST_NANOS));
  }
}
