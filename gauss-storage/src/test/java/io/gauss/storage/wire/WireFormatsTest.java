package io.gauss.storage.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.wire.PagesProgressLayout.PagesProgress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Golden bytes of messages between compute and storage nodes: a change here is a new version. */
class WireFormatsTest {
  @Test
  void aRequestForOnePage() {
    ByteBuf bytes =
        PageReadLayout.writeOne(Unpooled.buffer(), 1, 0x123456789AL, 0x0700000003L, 250);
    assertEquals(
        "01000100"
            + "01000000"
            + "fa000000"
            + "00000000"
            + "0100000000000000"
            + "9a78563412000000"
            + "0300000007000000"
            + "0000000000000000",
        ByteBufUtil.hexDump(bytes));
    PageReadLayout.checkRequest(bytes);
  }

  @Test
  void placesInAReply() {
    assertEquals(8 + 8 * 3, PageReadLayout.imageAt(3, 0));
    assertEquals(8 + 8 * 3 + 8192 * 2, PageReadLayout.imageAt(3, 2));
    assertEquals(8 + 8200 * 3, PageReadLayout.replyBytes(3));
  }

  @Test
  void progressOfPages() {
    PagesProgress progress =
        new PagesProgress(
            77, List.of(new PageStore.Progress(1, 0x100, 0x80), new PageStore.Progress(2, 5, 0)));
    ByteBuf bytes = PagesProgressLayout.write(Unpooled.buffer(), progress);
    assertEquals(
        "01000200"
            + "00000000"
            + "4d00000000000000"
            + "0100000000000000"
            + "0001000000000000"
            + "8000000000000000"
            + "0200000000000000"
            + "0500000000000000"
            + "0000000000000000",
        ByteBufUtil.hexDump(bytes));
    assertEquals(progress, PagesProgressLayout.read(bytes));
    assertThrows(
        GaussException.class,
        () -> PagesProgressLayout.read(bytes.slice(0, bytes.readableBytes() - 8)));
    bytes.setShortLE(0, 2);
    assertThrows(GaussException.class, () -> PagesProgressLayout.read(bytes));
  }
}
