package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ForwardingTrialsTest {
  private static final long BEGIN_MILLIS = 1_800_000_000_000L; // some day
  private static final int PERIODS = 8000;

  private static long trial(int period) {
    return ForwardingTrials.scheduled(BEGIN_MILLIS + period * ForwardingTrials.PERIOD_MILLIS);
  }

  @Test
  void onePeriodInEightIsATrialOfHalfOfTheNodes() {
    int trials = 0;
    int first = 0;
    int second = 0;
    int both = 0;
    for (int period = 0; period < PERIODS; period++) {
      long trial = trial(period);
      trials += trial == 0 ? 0 : 1;
      boolean isFirst = ForwardingTrials.takesPart(trial, 1);
      boolean isSecond = ForwardingTrials.takesPart(trial, 2);
      first += isFirst ? 1 : 0;
      second += isSecond ? 1 : 0;
      both += isFirst && isSecond ? 1 : 0;
    }
    assertEquals(PERIODS / (double) ForwardingTrials.ONE_IN, trials, 150);
    assertEquals(trials / 2.0, first, 100);
    assertEquals(trials / 2.0, second, 100);
    assertEquals(trials / 4.0, both, 100, "each by itself");
  }

  @Test
  void aTrialLastsForAPeriod() {
    int period = 0;
    while (trial(period) == 0 || trial(period + 1) != 0) {
      period++;
    }
    long begin = BEGIN_MILLIS + period * ForwardingTrials.PERIOD_MILLIS;
    begin -= begin % ForwardingTrials.PERIOD_MILLIS;
    long last = begin + ForwardingTrials.PERIOD_MILLIS - 1;
    assertEquals(ForwardingTrials.scheduled(begin), ForwardingTrials.scheduled(last));
    assertEquals(0, ForwardingTrials.scheduled(last + 1));
  }

  @Test
  void withoutATrialNobodyTakesPart() {
    for (int slot = 1; slot < 64; slot++) {
      assertFalse(ForwardingTrials.takesPart(0, slot));
    }
  }

  /**
   * How many of the trials of a long time a node takes part in, after so many that saved nothing.
   */
  private static int trials(ForwardingTrials trials, long version) {
    int count = 0;
    for (int period = 0; period < PERIODS; period++) {
      long millis = BEGIN_MILLIS + period * ForwardingTrials.PERIOD_MILLIS;
      count += trials.trial(millis, version) == 0 ? 0 : 1;
    }
    return count;
  }

  private static long next(ForwardingTrials trials, long after) {
    long millis = after;
    do {
      millis += ForwardingTrials.PERIOD_MILLIS;
    } while (trials.trial(millis, 1) == 0);
    return millis;
  }

  @Test
  void trialsThatSaveNothingBecomeRare() {
    ForwardingTrials trials = new ForwardingTrials();
    int all = trials(trials, 1);
    assertEquals(PERIODS / (double) ForwardingTrials.ONE_IN, all, 150);
    long millis = BEGIN_MILLIS;
    for (int halvings = 1; halvings <= ForwardingTrials.MOST_HALVINGS + 1; halvings++) {
      millis = next(trials, millis);
      for (int i = 0; i < 2 * ForwardingTrials.ENOUGH; i++) {
        trials.took(false);
      }
      double left = 1.0 / (1 << Math.min(halvings, ForwardingTrials.MOST_HALVINGS));
      assertEquals(all * left, trials(trials, 1), all * 0.06, halvings + " in vain");
    }
    assertEquals(all, trials(trials, 2), "something else is published");
  }

  @Test
  void whatSavesTimeBringsThemBack() {
    ForwardingTrials trials = new ForwardingTrials();
    int all = trials(trials, 1);
    next(trials, BEGIN_MILLIS);
    for (int i = 0; i < ForwardingTrials.ENOUGH; i++) {
      trials.took(false);
    }
    assertNotEquals(all, trials(trials, 1));
    trials.took(true);
    assertEquals(all, trials(trials, 1));
  }

  /** Each of both series becomes rare by itself, and the other one is not forgotten. */
  @Test
  void trialsOfStayingAreAtOtherTimesAndBecomeRareByThemselves() {
    ForwardingTrials trials = new ForwardingTrials();
    int all = stayTrials(trials);
    assertEquals(PERIODS / (double) ForwardingTrials.ONE_STAYS_IN, all, 100);
    int going = trials(trials, 1);
    long millis = BEGIN_MILLIS;
    for (int halvings = 1; halvings <= ForwardingTrials.MOST_STAY_HALVINGS + 1; halvings++) {
      do {
        millis += ForwardingTrials.PERIOD_MILLIS;
      } while (trials.stayTrial(millis, 1) == 0);
      for (int i = 0; i < 2 * ForwardingTrials.ENOUGH; i++) {
        trials.tookStaying(false);
      }
      double left = 1.0 / (1 << Math.min(halvings, ForwardingTrials.MOST_STAY_HALVINGS));
      assertEquals(all * left, stayTrials(trials), all * 0.08, halvings + " in vain");
    }
    assertEquals(going, trials(trials, 1));
    trials.tookStaying(true);
    assertEquals(all, stayTrials(trials));
  }

  private static int stayTrials(ForwardingTrials trials) {
    int count = 0;
    for (int period = 0; period < PERIODS; period++) {
      long millis = BEGIN_MILLIS + period * ForwardingTrials.PERIOD_MILLIS;
      boolean isTrial = trials.stayTrial(millis, 1) != 0;
      assertFalse(isTrial && ForwardingTrials.scheduled(millis) != 0);
      count += isTrial ? 1 : 0;
    }
    return count;
  }

  /** Else nodes would never be together again. */
  @Test
  void whoTakesPartInFewerDoesSoWithTheOthers() {
    ForwardingTrials often = new ForwardingTrials();
    ForwardingTrials seldom = new ForwardingTrials();
    next(seldom, BEGIN_MILLIS);
    for (int i = 0; i < ForwardingTrials.ENOUGH; i++) {
      seldom.took(false);
    }
    int together = 0;
    for (int period = 0; period < PERIODS; period++) {
      long millis = BEGIN_MILLIS + period * ForwardingTrials.PERIOD_MILLIS;
      long trial = seldom.trial(millis, 1);
      if (trial != 0) {
        assertEquals(trial, often.trial(millis, 1));
        together++;
      }
    }
    assertTrue(together > 0);
  }
}
