package io.gauss.storage.raft.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.wire.LogHold;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Since when a log is kept, by a clock that the test moves. */
class LogHoldsTest {
  private static final Subscriptions AT_100 = Subscriptions.NONE.subscribed(4, 90, 100, 0);

  private long now = 1_000;
  private final LogHolds holds = new LogHolds(() -> now);

  private void after(long nanos, Subscriptions subscriptions, long end) {
    now += nanos;
    holds.applied(subscriptions, end);
  }

  @Test
  void aSubscriptionAtTheEndKeepsNothingUntilTheNextAppend() {
    after(0, AT_100, 100);
    assertEquals(List.of(), holds.all(100));
    after(5_000, AT_100, 130);
    now += 7;
    assertEquals(List.of(new LogHold(4, 90, 100, 30, 7)), holds.all(130));
    after(3, AT_100, 150);
    assertEquals(List.of(new LogHold(4, 90, 100, 50, 10)), holds.all(150));
  }

  @Test
  void itKeepsTheLogAnewFromWhereItHasRisenTo() {
    after(0, AT_100, 300);
    after(50, AT_100.raised(4, 90, 200), 300);
    now += 5;
    assertEquals(List.of(new LogHold(4, 90, 200, 100, 5)), holds.all(300));
    after(5, AT_100.raised(4, 90, 300), 300);
    assertEquals(List.of(), holds.all(300));
  }

  @Test
  void thatAnotherOneMovesChangesNothing() {
    Subscriptions two = AT_100.subscribed(7, 3, 200, 0);
    after(0, two, 300);
    after(50, two.raised(7, 3, 250), 300);
    assertEquals(
        List.of(new LogHold(4, 90, 100, 200, 50), new LogHold(7, 3, 250, 50, 0)), holds.all(300));
    after(5, two.ended(4, 90), 300);
    assertEquals(List.of(new LogHold(7, 3, 200, 100, 0)), holds.all(300));
  }

  @Test
  void aLaterTenureAtTheSameOffsetHasKeptItForAsLong() {
    after(0, AT_100, 300);
    after(50, AT_100.subscribed(4, 95, 300, 0), 300);
    assertEquals(List.of(new LogHold(4, 95, 100, 200, 50)), holds.all(300));
  }
}
