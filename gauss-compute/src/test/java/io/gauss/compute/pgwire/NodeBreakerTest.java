package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Of all sessions one finds out whether a node is there. */
class NodeBreakerTest {
  private static final long FIRST = NodeBreaker.FIRST_PAUSE_NANOS;

  private final NodeBreaker breaker = new NodeBreaker();

  @Test
  void aNodeThatNobodyHasReachedIsTriedOnceAtATime() {
    assertFalse(breaker.isTrying());
    assertTrue(breaker.mayTry(0));
    assertTrue(breaker.isTrying());
    assertFalse(breaker.mayTry(1));
    breaker.succeeded();
    assertTrue(breaker.mayTry(2));
    assertTrue(breaker.mayTry(2));
  }

  @Test
  void afterAFailureItIsLeftAloneForTwiceAsLongEachTime() {
    long now = 0;
    for (long pause = FIRST; pause < 5 * FIRST; pause *= 2) {
      assertTrue(breaker.mayTry(now));
      assertEquals(pause, breaker.failed(now));
      assertFalse(breaker.mayTry(now + pause - 1));
      now += pause;
    }
    assertTrue(breaker.mayTry(now));
    assertFalse(breaker.mayTry(now));
  }

  @Test
  void aPauseHasABoundAndASuccessEndsTheirGrowth() {
    for (int i = 0; i < 100; i++) {
      assertTrue(breaker.mayTry(i * NodeBreaker.LONGEST_PAUSE_NANOS));
      breaker.failed(i * NodeBreaker.LONGEST_PAUSE_NANOS);
    }
    assertTrue(breaker.mayTry(100 * NodeBreaker.LONGEST_PAUSE_NANOS));
    breaker.succeeded();
    assertEquals(FIRST, breaker.failed(0));
  }

  @Test
  void attemptsThatFailTogetherCountOnce() {
    assertTrue(breaker.mayTry(0));
    breaker.succeeded();
    assertTrue(breaker.mayTry(0));
    assertTrue(breaker.mayTry(0));
    assertEquals(FIRST, breaker.failed(1));
    assertEquals(0, breaker.failed(2));
    assertTrue(breaker.mayTry(1 + FIRST));
  }

  @Test
  void anAttemptWhoseClientGoesIsNoFailure() {
    assertTrue(breaker.mayTry(0));
    breaker.givenUp();
    assertTrue(breaker.mayTry(0));
  }

  @Test
  void anotherNodeInTheSlotIsTriedAtOnce() {
    assertTrue(breaker.mayTry(0));
    breaker.failed(0);
    breaker.replaced();
    assertTrue(breaker.mayTry(0));
  }
}
