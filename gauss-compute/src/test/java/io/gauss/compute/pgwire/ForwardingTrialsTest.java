package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

class ForwardingTrialsTest {
  private static final long BEGIN_MILLIS = 1_800_000_000_000L; // some day
  private static final int PERIODS = 8000;

  private static long trial(int period) {
    return ForwardingTrials.trial(BEGIN_MILLIS + period * ForwardingTrials.PERIOD_MILLIS);
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
    assertEquals(ForwardingTrials.trial(begin), ForwardingTrials.trial(last));
    assertEquals(0, ForwardingTrials.trial(last + 1));
  }

  @Test
  void withoutATrialNobodyTakesPart() {
    for (int slot = 1; slot < 64; slot++) {
      assertFalse(ForwardingTrials.takesPart(0, slot));
    }
  }
}
