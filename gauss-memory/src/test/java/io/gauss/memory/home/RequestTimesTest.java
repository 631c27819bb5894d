package io.gauss.memory.home;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RequestTimesTest {
  private long now = 100;
  private final RequestTimes times = new RequestTimes(() -> now);

  @Test
  void eachNodesRequestIsTimedFromItsBeginning() {
    times.waits(7, 1);
    now += 10;
    times.waits(7, 2);
    times.waits(7, 1); // asked again
    now += 5;
    assertEquals(15, times.waited(7, 1));
    assertEquals(5, times.waited(7, 2));
    assertEquals(0, times.waited(7, 3));
    assertEquals(0, times.waited(8, 1));
  }

  @Test
  void whatHasBeenPassedOnIsNotTimedAnyMore() {
    times.waits(7, 1);
    times.waits(7, 2);
    times.waits(8, 1);
    now += 3;
    times.continues(7, 1);
    assertEquals(0, times.waited(7, 1));
    assertEquals(3, times.waited(7, 2));
    times.forget(7);
    assertEquals(0, times.waited(7, 2));
    times.continues(8, 1);
    times.continues(8, 1);
    assertEquals(0, times.waited(8, 1));
  }
}
