package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import io.gauss.compute.pgwire.ForwardingGain.Choice;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Times are given here, not measured. */
class ForwardingGainTest {
  private static final long HERE_NANOS = 1_000_000;
  private static final int MANY = 4000;

  private final ForwardingGain gain = new ForwardingGain();
  private final Random random = new Random(Seeds.next());

  /** Share of transactions that are forwarded, of the last half. */
  private double forwarded(long template, LongUnaryOperator there) {
    int forwarded = 0;
    for (int i = 0; i < MANY; i++) {
      boolean goes = goes(gain.choose(template, true, random.nextInt()));
      long noise = random.nextInt(20) == 0 ? 50 * HERE_NANOS : random.nextInt(200_000);
      long nanos = goes ? there.applyAsLong(HERE_NANOS) : HERE_NANOS;
      gain.took(template, goes, nanos + noise);
      forwarded += goes && i >= MANY / 2 ? 1 : 0;
    }
    return 2.0 * forwarded / MANY;
  }

  private static boolean goes(Choice choice) {
    return choice == Choice.FORWARD || choice == Choice.TRY;
  }

  @Test
  void templatesThatGainAreForwardedButForAFew() {
    double share = forwarded(7, here -> here / 2);
    assertTrue(share > 0.9 && share < 1, "forwarded " + share);
  }

  @Test
  void templatesThatLoseStayButForAFew() {
    double share = forwarded(7, here -> here * 2);
    assertTrue(share > 0 && share < 0.1, "forwarded " + share);
  }

  @Test
  void templatesThatGainNothingStayToo() {
    double share = 0;
    for (int template = 1; template <= 10; template++) {
      share += forwarded(template, here -> here) / 10;
    }
    assertTrue(share < 0.5, "forwarded " + share);
  }

  @Test
  void whatChangesIsFollowed() {
    forwarded(7, here -> here * 2);
    assertTrue(forwarded(7, here -> here / 4) > 0.9);
    assertTrue(forwarded(7, here -> here * 4) < 0.1);
  }

  @Test
  void templatesAreJudgedApart() {
    forwarded(7, here -> here * 4);
    assertTrue(forwarded(8, here -> here / 4) > 0.9);
    assertTrue(forwarded(7, here -> here * 4) < 0.1);
  }

  private static long withSamePlace(long as, long above) {
    long kind = above;
    do {
      kind++;
    } while (ForwardingGain.place(kind) != ForwardingGain.place(as));
    return kind;
  }

  /** One of hundreds of statements has the same place as another. */
  @Test
  void templatesThatMeetInOnePlaceAreJudgedAllTheSame() {
    long other = withSamePlace(7, 7);
    int forwarded = 0;
    for (int i = 0; i < MANY; i++) {
      boolean goes = goes(gain.choose(7, true, random.nextInt()));
      gain.took(7, goes, goes ? 2 * HERE_NANOS : HERE_NANOS);
      forwarded += goes ? 1 : 0;
      goes = goes(gain.choose(other, true, random.nextInt()));
      gain.took(other, goes, goes ? HERE_NANOS / 2 : HERE_NANOS);
    }
    assertTrue(forwarded < MANY / 5, "forwarded " + forwarded);
  }

  /** Statements of an application that is not there any more. */
  @Test
  void templatesThatDoNotComeAnyMoreGiveWay() {
    long kind = 7;
    for (int i = 0; i < 20; i++) {
      gain.choose(kind, true, 1);
      kind = withSamePlace(7, kind);
    }
    for (int i = 0; i < 20; i++) {
      gain.choose(kind, true, 1); // until one gives way
    }
    assertTrue(forwarded(kind, here -> here * 2) < 0.1);
  }

  @Test
  void whatHasNoTemplateIsNotCompared() {
    for (int i = 0; i < 100; i++) {
      assertEquals(Choice.FORWARD, gain.choose(0, true, i));
      gain.took(0, true, HERE_NANOS * 100);
      gain.took(0, false, HERE_NANOS);
    }
  }

  /** A small lead is to show first that it pays. */
  @Test
  void whatIsTakenNotToPayIsTriedAllTheSame() {
    int forwarded = 0;
    for (int i = 0; i < MANY; i++) {
      boolean goes = goes(gain.choose(7, false, random.nextInt()));
      gain.took(7, goes, goes ? HERE_NANOS / 2 : HERE_NANOS);
      forwarded += goes ? 1 : 0;
      assertTrue(i > 50 || forwarded < 40, "forwarded at first: " + forwarded);
    }
    assertTrue(forwarded > MANY / 2, "forwarded " + forwarded);
  }

  @Test
  void degreesAreJudgedApart() {
    assertTrue(ForwardingGain.kind(7, 1) != ForwardingGain.kind(7, 2));
    assertEquals(0, ForwardingGain.kind(0, 2));
  }
}
