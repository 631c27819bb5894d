package io.gauss.compute.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.RoutingMode;
import java.util.List;
import org.junit.jupiter.api.Test;

class SampleRingTest {
  private final SampleRing ring = new SampleRing(4);

  private void add(int... pages) {
    for (int page : pages) {
      ring.add(
          new AccessSample(
              1,
              0,
              RoutingMode.OFF,
              true,
              "",
              List.of(),
              new long[0],
              new long[0],
              new long[0],
              1,
              1,
              page,
              0,
              true,
              0,
              new int[0]));
    }
  }

  private static List<Integer> pages(List<AccessSample> samples) {
    return samples.stream().map(AccessSample::pages).toList();
  }

  @Test
  void samplesAreCollectedOnceAndStayToBeLookedAt() {
    add(1, 2, 3);
    assertEquals(List.of(1, 2), pages(ring.take(2)));
    assertEquals(List.of(3), pages(ring.take(2)));
    assertEquals(List.of(), pages(ring.take(2)));
    assertEquals(List.of(1, 2, 3), pages(ring.all()));
  }

  @Test
  void whenNobodyCollectsTheOldestGoAndAreCounted() {
    add(1, 2, 3, 4, 5, 6);
    assertEquals(List.of(3, 4, 5, 6), pages(ring.all()));
    assertEquals(2, ring.dropped());
    assertEquals(List.of(3, 4, 5, 6), pages(ring.take(10)));
    add(7, 8);
    assertEquals(2, ring.dropped(), "what was collected is not missed");
    assertEquals(8, ring.added());
  }
}
