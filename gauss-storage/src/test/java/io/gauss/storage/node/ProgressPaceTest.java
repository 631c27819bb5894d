package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.api.PageStore.Progress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressPaceTest {
  private final ProgressPace pace = new ProgressPace();

  private boolean isDue(long applied, long millis) {
    return pace.isDue(
        List.of(new Progress(1, applied, 0)), 0, TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void aWatcherThatHasJustComeIsTold() {
    assertTrue(isDue(0, 0));
    assertFalse(isDue(0, 1));
    pace.askAnew();
    assertTrue(isDue(0, 2));
  }

  @Test
  void smallStepsAreReportedTogether() {
    isDue(0, 0);
    int reports = 0;
    for (int millis = 25; millis <= 1000; millis += 25) {
      reports += isDue(millis, millis) ? 1 : 0;
    }
    assertEquals(4, reports);
  }

  @Test
  void aStreamThatMovesFarIsReportedAtOnce() {
    isDue(0, 0);
    assertFalse(isDue(ProgressPace.STEP_BYTES - 1, 25));
    assertTrue(isDue(ProgressPace.STEP_BYTES, 50));
    assertFalse(isDue(ProgressPace.STEP_BYTES + 1, 75));
    assertTrue(isDue(2 * ProgressPace.STEP_BYTES, 100));
  }

  @Test
  void aStreamThatIsNewIsReportedAtOnce() {
    isDue(0, 0);
    assertTrue(pace.isDue(List.of(new Progress(1, 0, 0), new Progress(2, 5, 0)), 0, 1));
  }

  @Test
  void theLastStepIsReportedAlsoWhenNothingFollows() {
    isDue(0, 0);
    assertFalse(isDue(5, 25));
    assertFalse(isDue(5, 225));
    assertTrue(isDue(5, 250));
  }

  @Test
  void whatDoesNotChangeIsSaidOnceASecond() {
    isDue(0, 0);
    assertFalse(isDue(0, 999));
    assertTrue(isDue(0, 1000));
    assertFalse(isDue(0, 1999));
  }

  @Test
  void pagesThatDoNotMoveAreLookedAtLessOften() {
    isDue(0, 0);
    isDue(1, 25);
    assertEquals(25, pace.pause().toMillis());
    isDue(1, 50);
    assertEquals(250, pace.pause().toMillis());
  }
}
