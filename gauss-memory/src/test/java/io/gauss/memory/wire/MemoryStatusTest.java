package io.gauss.memory.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** The bytes of docs/formats.md: a change here is a change of the protocol. */
class MemoryStatusTest {
  private static final MemoryStatus STATUS =
      new MemoryStatus(103, 1365, 1, 2, 5_000, 4_000, 100_000, 17);

  @Test
  void anAnswerHasTheseBytesAndIsReadBack() {
    ByteBuf reply = STATUS.write(Unpooled.buffer());
    assertEquals(
        "01006700"
            + "55050000"
            + "01000000"
            + "02000000"
            + "8813000000000000"
            + "a00f000000000000"
            + "a086010000000000"
            + "1100000000000000",
        ByteBufUtil.hexDump(reply));
    assertEquals(STATUS, MemoryStatus.read(reply));
  }

  @Test
  void whatIsOfAnotherVersionOrCutOffIsRefused() {
    MemoryStatus.checkRequest(MemoryStatus.writeRequest(Unpooled.buffer()));
    ByteBuf other = MemoryStatus.writeRequest(Unpooled.buffer()).setShortLE(0, 2);
    ByteBuf cut = STATUS.write(Unpooled.buffer()).writerIndex(40);
    for (GaussException refused :
        new GaussException[] {
          assertThrows(GaussException.class, () -> MemoryStatus.checkRequest(other)),
          assertThrows(GaussException.class, () -> MemoryStatus.read(cut))
        }) {
      assertEquals(SqlState.PROTOCOL_VIOLATION, refused.state());
    }
  }
}
