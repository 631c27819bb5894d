package io.gauss.bench.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RestartedCountsTest {
  private final RestartedCounts counts = new RestartedCounts();

  @Test
  void whatANodeCountsAfterARestartIsAdded() {
    counts.saw("a", 100);
    counts.saw("b", 40);
    long before = counts.sum();
    counts.saw("a", 120);
    counts.saw("a", 7); // started again
    counts.saw("a", 9);
    counts.saw("b", 41);
    assertEquals(20 + 9 + 1, counts.sum() - before);
  }
}
