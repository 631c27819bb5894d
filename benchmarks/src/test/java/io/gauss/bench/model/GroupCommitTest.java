package io.gauss.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GroupCommitTest {
  private static final double APPEND_SECONDS = 0.001;

  /** Requests come at random; each append takes those that have come, one append at a time. */
  @ParameterizedTest
  @ValueSource(doubles = {10, 300, 1000, 4000})
  void appendsAreThoseOfASimulation(double requests) {
    SplittableRandom random = new SplittableRandom(11);
    double arrival = 0;
    double free = 0;
    int arrivals = 300_000;
    int appends = 0;
    for (int i = 0; i < arrivals; i++) {
      arrival -= Math.log(1 - random.nextDouble()) / requests;
      if (arrival > free) {
        // None under way, and nothing waits: the append before took all that had come.
        appends++;
        free = arrival + APPEND_SECONDS;
      } else if (arrival > free - APPEND_SECONDS) {
        // The first to come during an append has the next one begin after it.
        appends++;
        free += APPEND_SECONDS;
      }
    }
    double measured = appends / arrival;
    assertEquals(measured, GroupCommit.appends(requests, APPEND_SECONDS), 0.01 * measured);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 1e6})
  void oneWaitsForOneAppendAndAtMostHalfOfAnother(double requests) {
    double expected = APPEND_SECONDS * (requests > 1000 ? 1.5 : 1);
    assertEquals(expected, GroupCommit.waiting(requests, APPEND_SECONDS), 0.01 * expected);
  }
}
