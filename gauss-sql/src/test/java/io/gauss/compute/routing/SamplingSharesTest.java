package io.gauss.compute.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SamplingSharesTest {
  private static final int WANTED = 100;
  private static final int ROLE = 10;
  private static final int OTHER = 11;
  private static final int THIRD = 12;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final SamplingShares shares = new SamplingShares(WANTED, 0);
  private final SplittableRandom random = new SplittableRandom(7);

  private void adapt(Map<Integer, Long> transactions, long nanos) {
    transactions.keySet().forEach(shares::of); // they have sessions
    shares.adapt(transactions, transactions.keySet(), nanos);
  }

  /**
   * Samples of so many transactions of a role's session, each of which asks when it is its turn,
   * and for how many transactions they stand.
   */
  private double[] samples(int role, int transactions) {
    SamplingRate rate = shares.of(role);
    int sampled = 0;
    double stand = 0;
    boolean refused = false;
    for (int left = rate.gap(random.nextDouble(), false, rate.interval()); left <= transactions; ) {
      refused = !rate.tryTake();
      sampled += refused ? 0 : 1;
      stand += refused ? 0 : rate.interval();
      left += rate.gap(random.nextDouble(), refused, rate.interval());
    }
    return new double[] {sampled, stand};
  }

  @Test
  void whileLittleHappensEachTransactionIsSampled() {
    adapt(Map.of(ROLE, 50L), SECOND);
    assertEquals(50, samples(ROLE, 50)[0]);
  }

  @Test
  void ofManyTransactionsAsManyAreSampledAsAreWanted() {
    adapt(Map.of(ROLE, 1_000_000L), SECOND);
    assertEquals(10_000, shares.of(ROLE).interval());
    assertEquals(10_000, shares.interval());
    assertEquals(WANTED, samples(ROLE, 1_000_000)[0], WANTED * 0.4);
  }

  @Test
  void whileTheLoadRisesTwiceTheNumberIsTheMost() {
    assertEquals(2 * WANTED, samples(ROLE, 1_000_000)[0]);
    adapt(Map.of(ROLE, 1000L), SECOND);
    assertEquals(2 * WANTED, samples(ROLE, 1_000_000)[0]);
  }

  /** However many transactions one has, the others are learned from, and weights say so. */
  @Test
  void aBusyRoleHasOnlyItsShare() {
    adapt(Map.of(ROLE, 1_000_000L, OTHER, 500L, THIRD, 10L), SECOND);
    double[] third = samples(THIRD, 10);
    double[] other = samples(OTHER, 500);
    double[] busy = samples(ROLE, 1_000_000);
    assertEquals(10, third[0], "all of it");
    assertEquals(45, other[0], 25);
    assertEquals(45, busy[0], 25);
    assertEquals(10, third[1]);
    assertEquals(500, other[1], 250);
    assertEquals(1_000_000, busy[1], 500_000);
  }

  /** One that begins to harm takes what nobody else needs, not more. */
  @Test
  void aRoleThatComesTakesNothingFromTheOthers() {
    adapt(Map.of(ROLE, 1000L, OTHER, 1000L), SECOND);
    assertTrue(samples(THIRD, 1_000_000)[0] <= 2, "what others leave");
    assertEquals(50, samples(ROLE, 1000)[0], 25);
    assertEquals(50, samples(OTHER, 1000)[0], 25);
  }

  @Test
  void whatIsNotUsedIsForTheOthers() {
    adapt(Map.of(ROLE, 1_000L, OTHER, 20L), SECOND);
    assertEquals(1000 / 80.0, shares.of(ROLE).interval());
    assertEquals(1, shares.of(OTHER).interval());
    adapt(Map.of(ROLE, 2_000L, OTHER, 20L), 2 * SECOND);
    assertEquals(10, shares.of(ROLE).interval(), "the other one does nothing any more");
  }

  @Test
  void rolesThatAreGoneAreForgotten() {
    adapt(Map.of(ROLE, 1_000L, OTHER, 20L), SECOND);
    shares.adapt(Map.of(ROLE, 2_000L, OTHER, 40L), Set.of(ROLE), 2 * SECOND);
    assertEquals(Set.of(ROLE, OTHER), shares.roles(), "it comes and goes");
    shares.adapt(Map.of(ROLE, 3_000L, OTHER, 40L), Set.of(ROLE), 3 * SECOND);
    assertEquals(Set.of(ROLE), shares.roles());
  }

  private int gap(int role) {
    SamplingRate rate = shares.of(role);
    return rate.gap(random.nextDouble(), false, rate.interval());
  }

  @Test
  void shortSessionsAreSampledAsOftenAsLongOnes() {
    adapt(Map.of(ROLE, 20L * WANTED), SECOND);
    int first = 0;
    for (int session = 0; session < 20_000; session++) {
      first += gap(ROLE) == 1 ? 1 : 0;
    }
    assertEquals(1000, first, 150);
  }

  @Test
  void samplingCanBeOff() {
    SamplingShares off = new SamplingShares(0, 0);
    off.of(ROLE);
    off.adapt(Map.of(ROLE, 10L), Set.of(ROLE), SECOND);
    assertEquals(Integer.MAX_VALUE, off.of(ROLE).gap(0.999, false, 1));
    assertFalse(off.of(ROLE).tryTake());
    assertTrue(off.interval() > 1e9);
  }
}
