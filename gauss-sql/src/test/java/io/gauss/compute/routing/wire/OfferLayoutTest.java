package io.gauss.compute.routing.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** The bytes of offers of pages, and what is refused. */
class OfferLayoutTest {
  @Test
  void anOfferAndItsAnswer() {
    long[] pages = {0x11, 0x12};
    ByteBuf offer = OfferLayout.writeOffer(Unpooled.buffer(), 2, i -> pages[i]);
    assertEquals("0100020011000000000000001200000000000000", ByteBufUtil.hexDump(offer));
    for (int length = 0; length < offer.readableBytes(); length++) {
      ByteBuf part = offer.slice(0, length);
      assertThrows(GaussException.class, () -> OfferLayout.readOffer(part));
    }
    assertThrows(GaussException.class, () -> OfferLayout.readOffer(offer.copy().setShortLE(0, 2)));
    assertArrayEquals(pages, OfferLayout.readOffer(offer));
    ByteBuf answer = OfferLayout.writeAnswer(Unpooled.buffer(), 7);
    assertEquals("01000700", ByteBufUtil.hexDump(answer));
    assertEquals(7, OfferLayout.readAnswer(answer));
    assertThrows(GaussException.class, () -> OfferLayout.readAnswer(answer));
  }
}
