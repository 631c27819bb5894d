package io.gauss.common.health;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class EventLimitTest {
  private final EventLimit limit = new EventLimit(2, 100);

  @Test
  void eventsBeyondTheLimitAreCountedAndToldByTheNextThatPasses() {
    assertEquals(0, limit.arrives(1_000));
    assertEquals(0, limit.arrives(1_001));
    assertEquals(EventLimit.TOO_MANY, limit.arrives(1_002));
    assertEquals(EventLimit.TOO_MANY, limit.arrives(1_099));
    assertEquals(2, limit.arrives(1_100));
    assertEquals(0, limit.arrives(1_101));
    assertEquals(EventLimit.TOO_MANY, limit.arrives(1_102));
  }

  @Test
  void fewEventsAllPass() {
    for (long now = -500; now < 500; now += 50) {
      assertEquals(0, limit.arrives(now));
    }
  }
}
