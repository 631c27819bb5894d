package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LookRateTest {
  private static final int NOT_DRAWN = 1;
  private static final long SECOND = 1_000_000_000L;

  private final LookRate rate = new LookRate();
  private long now = 5;

  /** Lots from 0 on, all transactions stay; returns how many of them are looked at. */
  private int lookedAt(int count) {
    int looked = 0;
    for (int lot = 0; lot < count; lot++) {
      if (rate.looks(1, lot, now)) {
        looked++;
        rate.decided(now);
        rate.stays();
      }
    }
    return looked;
  }

  @Test
  void fewerAndFewerAreLookedAt() {
    assertEquals(LookRate.ENOUGH, lookedAt(LookRate.ENOUGH));
    assertEquals(16, lookedAt(16 * LookRate.ONE_IN));
    assertEquals(8, lookedAt(16 * LookRate.ONE_IN), "half as many");
    lookedAt(100 * LookRate.ONE_IN_AT_LAST);
    assertEquals(100, lookedAt(100 * LookRate.ONE_IN_AT_LAST));
  }

  @Test
  void allAreLookedAtWhenOneGoes() {
    lookedAt(LookRate.ENOUGH);
    assertFalse(rate.looks(1, NOT_DRAWN, now));
    rate.goes();
    for (int i = 0; i < LookRate.ENOUGH; i++) {
      assertTrue(rate.looks(1, NOT_DRAWN, now));
      rate.stays();
    }
    assertFalse(rate.looks(1, NOT_DRAWN, now));
  }

  @Test
  void allAreLookedAtWhenSomethingIsPublished() {
    lookedAt(LookRate.ENOUGH);
    assertFalse(rate.looks(1, NOT_DRAWN, now));
    assertTrue(rate.looks(2, NOT_DRAWN, now));
    rate.stays();
    assertTrue(rate.looks(2, NOT_DRAWN, now));
  }

  @Test
  void whatStaysForWantOfAGainIsKnownForAWhile() {
    assertFalse(rate.isGainless());
    rate.staysForNoGain();
    for (int i = 0; i < 40; i++) {
      assertTrue(rate.isGainless());
      rate.stays();
    }
    rate.staysForNoGain();
    for (int i = 0; i < LookRate.ENOUGH; i++) {
      assertTrue(rate.isGainless());
      rate.stays();
    }
    assertFalse(rate.isGainless());
    assertTrue(rate.isLow(), "it counts as one that stays");
  }

  @Test
  void oneIsLookedAtEachSecond() {
    lookedAt(LookRate.ENOUGH);
    now += SECOND - 1;
    assertFalse(rate.looks(1, NOT_DRAWN, now));
    now++;
    assertTrue(rate.looks(1, NOT_DRAWN, now));
    assertTrue(rate.looks(1, NOT_DRAWN, now), "as long as nothing shows where one belongs");
    rate.decided(now);
    assertFalse(rate.looks(1, NOT_DRAWN, now));
  }
}
