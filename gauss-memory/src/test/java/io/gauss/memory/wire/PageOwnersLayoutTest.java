package io.gauss.memory.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.memory.wire.PageOwnersLayout.Holding;
import io.gauss.memory.wire.PageOwnersLayout.Key;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PageOwnersLayoutTest {
  private static final int BUCKETS = 4096;

  private static void assertRefused(Runnable reading) {
    GaussException e = assertThrows(GaussException.class, reading::run);
    assertEquals(SqlState.PROTOCOL_VIOLATION, e.state());
  }

  @Test
  void theQuestionHasTheseBytes() {
    ByteBuf question = PageOwnersLayout.writeQuestion(Unpooled.buffer(), 0xF00, 256);
    assertEquals("0100000f00010000", ByteBufUtil.hexDump(question));
    PageOwnersLayout.checkQuestion(question, BUCKETS);
    assertEquals(0xF00, PageOwnersLayout.firstBucket(question));
    assertEquals(256, PageOwnersLayout.buckets(question));
    assertRefused(() -> PageOwnersLayout.checkQuestion(question, BUCKETS - 1));
    assertRefused(() -> PageOwnersLayout.checkQuestion(question.copy().setShortLE(0, 2), BUCKETS));
    assertRefused(() -> PageOwnersLayout.checkQuestion(question.slice(0, 7), BUCKETS));
    ByteBuf tooMuch = PageOwnersLayout.writeQuestion(Unpooled.buffer(), 0, 257);
    assertRefused(() -> PageOwnersLayout.checkQuestion(tooMuch, BUCKETS));
  }

  @Test
  void theAnswerHasTheseBytesAndIsReadBack() {
    Map<Key, Long> counts = Map.of(new Key(130, 2, Holding.READER), 0x501L);
    ByteBuf answer = PageOwnersLayout.write(Unpooled.buffer(), counts);
    assertEquals(
        "0100000001000000" + "8200000002020000" + "0105000000000000", ByteBufUtil.hexDump(answer));
    assertEquals(counts, PageOwnersLayout.read(answer.duplicate()));
    assertRefused(() -> PageOwnersLayout.read(answer.slice(0, 23)));
    assertRefused(() -> PageOwnersLayout.read(answer.copy().setShortLE(0, 2)));
    assertRefused(() -> PageOwnersLayout.read(answer.copy().setByte(13, 9)));
  }
}
