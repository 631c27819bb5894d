package io.gauss.memory.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TransferTimesTest {
  @Test
  void theHomesTimeIsInTheHighHalfTheOwnersInTheLowOneInMicroseconds() {
    long times = TransferTimes.of(5_000_999, 7_000);
    assertEquals(0x0000_1388_0000_0007L, times);
    assertEquals(5_000_000, TransferTimes.queuedNanos(times));
    assertEquals(7_000, TransferTimes.heldNanos(times));
  }

  @Test
  void aTimeThatDoesNotFitIsTheLongestThatDoes() {
    long times = TransferTimes.of(Long.MAX_VALUE, -1);
    assertEquals(0xFFFF_FFFFL * 1000, TransferTimes.queuedNanos(times));
    assertEquals(0, TransferTimes.heldNanos(times));
  }
}
