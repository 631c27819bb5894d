package io.gauss.bench.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class NodeCountsTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void countsBecomeRates() {
    NodeCounts before =
        new NodeCounts(
            10 * SECOND,
            Map.of(NodeCounts.SENT + "stream.append", 100L, NodeCounts.RAFT + "entries", 7L));
    NodeCounts after =
        new NodeCounts(
            14 * SECOND,
            Map.of(
                NodeCounts.SENT + "stream.append",
                140L,
                NodeCounts.SENT + "clock.advance",
                8L,
                NodeCounts.RAFT + "entries",
                27L,
                NodeCounts.TRANSFERS + "owned",
                12L,
                NodeCounts.TRANSFERS + "copy",
                4L,
                NodeCounts.LOG_FORCES,
                20L,
                NodeCounts.RAFT_FORCES,
                40L,
                NodeCounts.FORWARDED,
                2L));
    NodeCounts.Rates rates = after.since(before);
    // A message of Raft stands for its answer, too.
    assertEquals(
        Map.of("stream.append", 10.0, "clock.advance", 2.0, "raft.entries", 10.0),
        rates.messages());
    assertEquals(4, rates.pageTransfers());
    assertEquals(15, rates.logForces());
    assertEquals(0.5, rates.forwarded());
  }
}
