package io.gauss.storage.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The lag of pages behind a stream, with simulated time. */
class ApplyLagTest {
  private static final long MS = 1_000_000;

  private long now = 77 * MS;
  private final ApplyLag lag = new ApplyLag(1000, () -> now);

  @Test
  void thereIsNoneBeforeAnythingIsDurable() {
    now += 5 * MS;
    assertEquals(0, lag.nanos());
  }

  @Test
  void itCountsFromWhenTheOldestMissingRecordBecameDurable() {
    lag.durable(1100);
    now += 10 * MS;
    lag.durable(1200);
    now += 10 * MS;
    assertEquals(20 * MS, lag.nanos());
    lag.applied(1050);
    assertEquals(20 * MS, lag.nanos(), "a part of what the mark covers is still missing");
    lag.applied(1100);
    assertEquals(10 * MS, lag.nanos());
    lag.applied(1200);
    assertEquals(0, lag.nanos());
  }

  @Test
  void whatWasAppliedBeforeItWasToldDurableDoesNotCount() {
    lag.applied(1300);
    lag.durable(1200);
    now += 10 * MS;
    assertEquals(0, lag.nanos());
    lag.durable(1400);
    now += 3 * MS;
    assertEquals(3 * MS, lag.nanos());
  }

  @Test
  void withinAMillisecondTheEarliestTimeCounts() {
    lag.durable(1100);
    now += MS / 2;
    lag.durable(1200);
    lag.applied(1100);
    now += MS / 4;
    assertEquals(MS / 2 + MS / 4, lag.nanos());
  }

  /** Against a list of all moments, with seeds that the message names. */
  @Test
  void itIsNeverShorterThanTheTruthAndHardlyLonger() {
    for (long seed = 1; seed <= 20; seed++) {
      compareWithTheTruth(seed);
    }
  }

  private record Moment(long end, long time) {}

  private void compareWithTheTruth(long seed) {
    Random random = new Random(seed);
    ApplyLag tested = new ApplyLag(0, () -> now);
    Deque<Moment> missing = new ArrayDeque<>();
    long end = 0;
    long longest = 0;
    boolean stalled = false;
    for (int i = 0; i < 50_000; i++) {
      now += random.nextLong(MS);
      end += 1 + random.nextInt(100);
      tested.durable(end);
      missing.add(new Moment(end, now));
      if (random.nextInt(10_000) == 0) {
        stalled = !stalled;
      }
      if (!stalled) {
        for (int j = random.nextInt(4); j > 0 && !missing.isEmpty(); j--) {
          tested.applied(missing.remove().end());
        }
      }
      long truth = missing.isEmpty() ? 0 : now - missing.peek().time();
      longest = Math.max(longest, truth);
      long told = tested.nanos();
      String what = "seed " + seed + ", step " + i + ": " + told + " for " + truth;
      assertTrue(told >= truth, what);
      assertTrue(told <= truth + Math.max(MS, longest / 100), what);
    }
  }
}
