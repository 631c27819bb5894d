package io.gauss.compute.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PageLoadTest {
  private static final int ROUNDS = 2_000;

  @Test
  void aPageIsOwedUntilOneHasUsedItOrAllHaveGivenUp() {
    PageLoad used = new PageLoad(1);
    assertFalse(used.isOwed());
    used.join();
    used.join();
    assertTrue(used.isOwed());
    used.leave(true);
    assertFalse(used.isOwed());

    PageLoad givenUp = new PageLoad(1);
    givenUp.join();
    givenUp.join();
    givenUp.leave(false);
    assertTrue(givenUp.isOwed());
    givenUp.leave(false);
    assertFalse(givenUp.isOwed());
  }

  /** Rule 46: a third thread, which hangs, does not hold up what has been used. */
  @Test
  void aUseIsNotForgottenWhenAnotherThreadGivesUpAtTheSameTime() throws InterruptedException {
    PageLoad[] loads = new PageLoad[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      loads[i] = new PageLoad(1);
      loads[i].join();
      loads[i].join();
      loads[i].join();
    }
    AtomicInteger arrived = new AtomicInteger();
    Thread gaveUp = Thread.ofPlatform().start(() -> leaveAll(loads, false, arrived));
    leaveAll(loads, true, arrived);
    gaveUp.join();
    assertEquals(0, Arrays.stream(loads).filter(PageLoad::isOwed).count());
  }

  /** Both threads come to each load together. */
  private static void leaveAll(PageLoad[] loads, boolean hasUsed, AtomicInteger arrived) {
    for (int i = 0; i < loads.length; i++) {
      arrived.incrementAndGet();
      while (arrived.get() < 2 * (i + 1)) {
        Thread.yield();
      }
      loads[i].leave(hasUsed);
    }
  }
}
