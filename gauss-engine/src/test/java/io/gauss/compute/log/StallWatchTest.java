package io.gauss.compute.log;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StallWatchTest {
  private static final long MS = 1_000_000;
  private final StallWatch watch = new StallWatch(Duration.ofMillis(100));

  private boolean look(long millis, boolean underWay, long reached) {
    return watch.look(millis * MS, underWay, reached);
  }

  @Test
  void whatMakesNoProgressForTheLimitIsStalled() {
    assertFalse(look(1000, true, 7));
    for (long now = 1010; now < 1100; now += 10) {
      assertFalse(look(now, true, 7), "at " + now);
    }
    assertTrue(look(1100, true, 7));
    assertTrue(look(1110, true, 7), "and stays so");
  }

  @Test
  void progressStartsItAnew() {
    look(1000, true, 7);
    for (long now = 1010; now < 1200; now += 10) {
      assertFalse(look(now, true, now / 50), "at " + now);
    }
  }

  @Test
  void withNothingUnderWayThereIsNoStall() {
    look(1000, true, 7);
    for (long now = 1010; now < 1300; now += 10) {
      assertFalse(look(now, now / 50 % 2 == 0, 7), "at " + now);
    }
  }

  @Test
  void theTimeForWhichTheProcessWasPausedDoesNotCount() {
    look(1000, true, 7);
    look(1020, true, 7);
    assertFalse(look(3_600_000, true, 7));
    assertFalse(look(3_600_010, true, 7));
  }
}
