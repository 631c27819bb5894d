package io.gauss.compute.cluster.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import org.junit.jupiter.api.Test;

/** Golden bytes of the messages about clocks. */
class ClockMessagesTest {
  private static String hex(ByteBuf bytes) {
    try {
      return ByteBufUtil.hexDump(bytes);
    } finally {
      bytes.release();
    }
  }

  @Test
  void aCallHasTheseBytes() {
    ClockMessages.Call call = new ClockMessages.Call(7, 0x0304, 5, 0x0607);
    assertEquals(
        "02000000" + "07000000" + "0403000000000000" + "0500000000000000" + "0706000000000000",
        hex(ClockMessages.encode(ByteBufAllocator.DEFAULT, call)));
    ByteBuf again = ClockMessages.encode(ByteBufAllocator.DEFAULT, call);
    assertEquals(call, ClockMessages.call(again));
    again.release();
  }

  @Test
  void anAnswerHasTheseBytes() {
    ClockMessages.Answer answer = new ClockMessages.Answer(9, 0x0102, 0x0304, 0x0506, 0x0708);
    assertEquals(
        "02000000"
            + "09000000"
            + "0201000000000000"
            + "0403000000000000"
            + "0605000000000000"
            + "0807000000000000",
        hex(ClockMessages.encode(ByteBufAllocator.DEFAULT, answer)));
    ByteBuf again = ClockMessages.encode(ByteBufAllocator.DEFAULT, answer);
    assertEquals(answer, ClockMessages.answer(again));
    again.release();
  }

  @Test
  void anotherVersionIsRefused() {
    ByteBuf bytes =
        ClockMessages.encode(ByteBufAllocator.DEFAULT, new ClockMessages.Answer(9, 1, 1, 1, 1));
    bytes.setIntLE(0, 1);
    GaussException refused = assertThrows(GaussException.class, () -> ClockMessages.answer(bytes));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, refused.state());
    bytes.release();
  }
}
