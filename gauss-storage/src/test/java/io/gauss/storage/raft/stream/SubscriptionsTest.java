package io.gauss.storage.raft.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.raft.stream.Subscriptions.Subscription;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who needs a log, one command after another; {@code SliceMoveModel} has all their orders. */
class SubscriptionsTest {
  private static final Subscriptions ONE = Subscriptions.NONE.subscribed(4, 90, 100, 0);

  @Test
  void aLogThatNobodySubscribedToIsKeptForNobody() {
    assertEquals(Long.MAX_VALUE, Subscriptions.NONE.lowest());
    assertFalse(Subscriptions.NONE.reach(4, 0));
  }

  @Test
  void theLowestOffsetCounts() {
    Subscriptions two = ONE.subscribed(2, 7, 50, 0);
    assertEquals(50, two.lowest());
    assertEquals(
        new Subscriptions(List.of(new Subscription(2, 7, 50), new Subscription(4, 90, 100))), two);
    assertEquals(100, two.ended(2, 7).lowest());
  }

  @Test
  void nobodySubscribesToWhatIsGone() {
    assertEquals(
        new Subscription(4, 90, 300), Subscriptions.NONE.subscribed(4, 90, 100, 300).of(4));
  }

  @Test
  void aSubscriptionRisesForItsTenureAndNeverFalls() {
    assertEquals(500, ONE.raised(4, 90, 500).lowest());
    assertSame(ONE, ONE.raised(4, 90, 99));
    assertSame(ONE, ONE.raised(4, 89, 500));
    assertSame(ONE, ONE.raised(4, 91, 500));
    assertSame(ONE, ONE.raised(3, 90, 500));
  }

  @Test
  void aLaterTenureTakesOverWhatTheEarlierOneKeeps() {
    Subscriptions later = ONE.subscribed(4, 95, 700, 0);
    assertEquals(new Subscription(4, 95, 100), later.of(4));
    assertSame(later, later.subscribed(4, 90, 0, 0), "late");
    assertSame(later, later.subscribed(4, 95, 0, 0), "again");
    assertSame(later, later.raised(4, 90, 800), "of the earlier tenure");
    assertTrue(later.reach(4, 90));
    assertFalse(later.reach(4, 96));
  }

  @Test
  void theEndOfATenureDoesNotEndALaterOne() {
    assertSame(ONE, ONE.ended(4, 89));
    assertNull(ONE.ended(4, 90).of(4));
    assertNull(ONE.ended(4, 91).of(4));
    assertSame(Subscriptions.NONE, ONE.ended(4, 90));
    assertSame(ONE, ONE.ended(5, 90));
  }
}
