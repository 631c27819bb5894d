package io.gauss.compute.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SamplingRateTest {
  private static final int WANTED = 100;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final SamplingRate rate = new SamplingRate(WANTED, 0);
  private final SplittableRandom random = new SplittableRandom(7);

  /** Samples of so many transactions of a session, each of which asks when it is its turn. */
  private int samples(int transactions) {
    int sampled = 0;
    boolean refused = false;
    for (int left = rate.gap(random.nextDouble(), false); left <= transactions; ) {
      refused = !rate.tryTake();
      sampled += refused ? 0 : 1;
      left += rate.gap(random.nextDouble(), refused);
    }
    return sampled;
  }

  @Test
  void whileLittleHappensEachTransactionIsSampled() {
    rate.adapt(50, SECOND);
    assertEquals(50, samples(50));
  }

  @Test
  void ofManyTransactionsAsManyAreSampledAsAreWanted() {
    rate.adapt(1_000_000, SECOND);
    assertEquals(10_000, rate.interval());
    assertEquals(WANTED, samples(1_000_000), WANTED * 0.4);
  }

  @Test
  void whileTheLoadRisesTwiceTheNumberIsTheMost() {
    assertEquals(2 * WANTED, samples(1_000_000));
    rate.adapt(1000, SECOND);
    assertEquals(2 * WANTED, samples(1_000_000));
  }

  @Test
  void shortSessionsAreSampledAsOftenAsLongOnes() {
    rate.adapt(20L * WANTED, SECOND);
    int first = 0;
    for (int session = 0; session < 20_000; session++) {
      first += rate.gap(random.nextDouble(), false) == 1 ? 1 : 0;
    }
    assertEquals(1000, first, 150);
  }

  @Test
  void samplingCanBeOff() {
    SamplingRate off = new SamplingRate(0, 0);
    off.adapt(10, SECOND);
    assertEquals(Integer.MAX_VALUE, off.gap(0.999, false));
    assertFalse(off.tryTake());
    assertTrue(off.interval() > 1e9);
  }
}
