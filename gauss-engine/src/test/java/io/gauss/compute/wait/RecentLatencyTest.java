package io.gauss.compute.wait;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RecentLatencyTest {
  private static final long FAST = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(50);

  private final AtomicLong clock = new AtomicLong();
  private final Latencies latency = new Latencies();
  private final RecentLatency recent = new RecentLatency(latency, clock::get);

  @Test
  void withoutStatementsItIsZero() {
    assertEquals(0, recent.percentile(0.99));
  }

  @Test
  void whatIsOlderThanTwoMinutesIsForgotten() {
    record(100, SLOW);
    assertNear(SLOW, recent.percentile(0.5));
    aMinuteLater();
    record(10, FAST);
    assertNear(SLOW, recent.percentile(0.5));
    aMinuteLater();
    assertNear(FAST, recent.percentile(0.5));
  }

  private void record(int times, long nanos) {
    for (int i = 0; i < times; i++) {
      latency.record(nanos);
    }
  }

  private void aMinuteLater() {
    clock.addAndGet(TimeUnit.MINUTES.toNanos(1));
    recent.percentile(0.5);
  }

  private static void assertNear(long expected, long actual) {
    assertTrue(
        Math.abs(actual - expected) <= expected / 4, () -> actual + " instead of " + expected);
  }
}
