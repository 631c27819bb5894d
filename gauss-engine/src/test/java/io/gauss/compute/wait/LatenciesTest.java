package io.gauss.compute.wait;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LatenciesTest {
  private static final long SEED = 20261123;

  private final Latencies latencies = new Latencies();

  @Test
  void withoutAnythingAllIsZero() {
    assertEquals(0, latencies.count());
    assertEquals(0, latencies.percentile(0.99));
    assertEquals(0, latencies.maxNanos());
    assertEquals(0, Arrays.stream(latencies.counts()).sum());
  }

  @Test
  void everyBucketHasWhatIsBelowItsEndAndNothingElse() {
    long[] expected = new long[Latencies.buckets()];
    for (int i = 0; i < expected.length - 1; i++) {
      latencies.record(Latencies.end(i) - 1);
      latencies.record(Latencies.end(i));
      expected[i]++;
      expected[i + 1]++;
    }
    assertArrayEquals(expected, latencies.counts());
  }

  @Test
  void lessThanNothingCountsAsNothing() {
    latencies.record(-5);
    assertEquals(1, latencies.counts()[0]);
    assertEquals(0, latencies.totalNanos());
  }

  @Test
  void whatTakesForeverIsInTheLastBucket() {
    latencies.record(Long.MAX_VALUE / 2);
    latencies.record(1L << 41);
    assertEquals(2, latencies.counts()[Latencies.buckets() - 1]);
    assertEquals(Long.MAX_VALUE / 2, latencies.maxNanos());
  }

  @Test
  void percentilesAreWithinASixteenthOfTheSortedValues() {
    Random random = new Random(SEED);
    long[] values = new long[10_000];
    for (int i = 0; i < values.length; i++) {
      values[i] = (long) Math.exp(8 + random.nextDouble() * 12);
      latencies.record(values[i]);
    }
    Arrays.sort(values);
    for (double share : new double[] {0.01, 0.5, 0.9, 0.99, 1}) {
      long exact = values[(int) Math.ceil(share * values.length) - 1];
      long told = latencies.percentile(share);
      assertTrue(told >= exact && told <= exact + exact / 16 + 256, told + " for " + exact);
    }
    assertEquals(Arrays.stream(values).sum(), latencies.totalNanos());
    assertEquals(values[values.length - 1], latencies.percentile(1));
  }

  @Test
  void nothingThatThreadsRecordAtOnceIsLost() throws InterruptedException {
    Thread[] threads = new Thread[4];
    for (int t = 0; t < threads.length; t++) {
      int first = t;
      threads[t] =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 10_000; i++) {
                      latencies.record(1000L * (first + 1));
                    }
                  });
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(40_000, latencies.count());
    assertEquals(40_000, Arrays.stream(latencies.counts()).sum());
    assertEquals(4000, latencies.maxNanos());
    assertEquals(10_000L * 10_000, latencies.totalNanos());
  }
}
