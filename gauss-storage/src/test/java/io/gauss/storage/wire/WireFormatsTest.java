package io.gauss.storage.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.health.Problem;
import io.gauss.storage.api.PageBatch;
import io.gauss.storage.wire.PagesProgressLayout.PagesProgress;
import io.gauss.storage.wire.PagesProgressLayout.StreamProgress;
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
        PageReadLayout.write(Unpooled.buffer(), PageBatch.of(0x0700000003L, 1, 0x123456789AL), 250);
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
            77,
            List.of(new StreamProgress(1, 0x100, 0x80, 0x1234), new StreamProgress(2, 5, 0, 0)));
    ByteBuf bytes = PagesProgressLayout.write(Unpooled.buffer(), progress);
    assertEquals(
        "02000200"
            + "00000000"
            + "4d00000000000000"
            + "0100000000000000"
            + "0001000000000000"
            + "8000000000000000"
            + "3412000000000000"
            + "0200000000000000"
            + "0500000000000000"
            + "0000000000000000"
            + "0000000000000000",
        ByteBufUtil.hexDump(bytes));
    assertEquals(progress, PagesProgressLayout.read(bytes));
    assertThrows(
        GaussException.class,
        () -> PagesProgressLayout.read(bytes.slice(0, bytes.readableBytes() - 8)));
    bytes.setShortLE(0, 1);
    assertThrows(GaussException.class, () -> PagesProgressLayout.read(bytes));
  }

  private static final NodeStatus STATUS =
      new NodeStatus(
          201,
          77,
          0x100000000L,
          List.of(
              new NodeStatus.Replica(
                  1,
                  202,
                  true,
                  false,
                  List.of(201, 202),
                  7,
                  3,
                  10,
                  5,
                  900,
                  800,
                  0x501,
                  700,
                  600,
                  1_500_000)),
          List.of(new Problem("full", "4 \u20ac")));

  @Test
  void statusOfANode() {
    ByteBuf bytes = NodeStatusLayout.write(Unpooled.buffer(), STATUS);
    assertEquals(
        "0100c90001000100"
            + "4d00000000000000"
            + "0000000001000000"
            + "01000000ca000102"
            + "0300000000000000"
            + "0700000000000000"
            + "0a00000000000000"
            + "0500000000000000"
            + "8403000000000000"
            + "2003000000000000"
            + "0105000000000000"
            + "bc02000000000000"
            + "5802000000000000"
            + "60e3160000000000"
            + "c900ca00"
            + "040066756c6c"
            + "0500"
            + "3420e282ac",
        ByteBufUtil.hexDump(bytes));
    assertEquals(STATUS, NodeStatusLayout.read(bytes));
    ByteBuf request = NodeStatusLayout.writeRequest(Unpooled.buffer());
    assertEquals("01000000", ByteBufUtil.hexDump(request));
    NodeStatusLayout.checkRequest(request);
  }

  @Test
  void aStatusThatIsCutOffOrOfAnotherVersionIsRefused() {
    ByteBuf bytes = NodeStatusLayout.write(Unpooled.buffer(), STATUS);
    for (int length = 0; length < bytes.readableBytes(); length++) {
      ByteBuf cut = bytes.slice(0, length);
      assertThrows(GaussException.class, () -> NodeStatusLayout.read(cut));
    }
    bytes.setShortLE(0, 2);
    assertThrows(GaussException.class, () -> NodeStatusLayout.read(bytes));
    ByteBuf request = NodeStatusLayout.writeRequest(Unpooled.buffer()).setShortLE(0, 2);
    assertThrows(GaussException.class, () -> NodeStatusLayout.checkRequest(request));
  }

  @Test
  void aLongTextInAStatusIsCut() {
    NodeStatus status =
        new NodeStatus(1, 0, 0, List.of(), List.of(new Problem("why", "\u20ac".repeat(50_000))));
    String cut =
        NodeStatusLayout.read(NodeStatusLayout.write(Unpooled.buffer(), status))
            .problems()
            .getFirst()
            .why();
    assertTrue(cut.length() > 500 && cut.equals("\u20ac".repeat(cut.length())));
  }
}
