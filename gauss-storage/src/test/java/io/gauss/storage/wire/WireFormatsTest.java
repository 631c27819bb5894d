package io.gauss.storage.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Golden bytes of messages to and between storage nodes: a change here is a new version. */
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
                  1_500_000,
                  List.of(new LogHold(204, 90, 10, 790, 0x1234)))),
          List.of(new Problem("full", "4 \u20ac")));

  @Test
  void statusOfANode() {
    ByteBuf bytes = NodeStatusLayout.write(Unpooled.buffer(), STATUS);
    assertEquals(
        "0200c90001000100"
            + "4d00000000000000"
            + "0000000001000000"
            + "01000000ca000102"
            + "0300000001000000"
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
            + "cc000000"
            + "5a00000000000000"
            + "0a00000000000000"
            + "1603000000000000"
            + "3412000000000000"
            + "040066756c6c"
            + "0500"
            + "3420e282ac",
        ByteBufUtil.hexDump(bytes));
    assertEquals(STATUS, NodeStatusLayout.read(bytes));
    ByteBuf request = NodeStatusLayout.writeRequest(Unpooled.buffer());
    assertEquals("02000000", ByteBufUtil.hexDump(request));
    NodeStatusLayout.checkRequest(request);
  }

  @Test
  void aStatusThatIsCutOffOrOfAnotherVersionIsRefused() {
    ByteBuf bytes = NodeStatusLayout.write(Unpooled.buffer(), STATUS);
    for (int length = 0; length < bytes.readableBytes(); length++) {
      ByteBuf cut = bytes.slice(0, length);
      assertThrows(GaussException.class, () -> NodeStatusLayout.read(cut));
    }
    bytes.setShortLE(0, 1);
    assertThrows(GaussException.class, () -> NodeStatusLayout.read(bytes));
    ByteBuf request = NodeStatusLayout.writeRequest(Unpooled.buffer()).setShortLE(0, 1);
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

  @Test
  void aRequestToRebuildAReplica() {
    RebuildLayout.Request request = new RebuildLayout.Request(3, 0x1122, 0x123456789AL);
    ByteBuf bytes = RebuildLayout.write(Unpooled.buffer(), request);
    assertEquals("01000000" + "03000000" + "2211000000000000" + "9a78563412000000", hex(bytes));
    assertEquals(request, RebuildLayout.readRequest(bytes));
    assertEveryOtherLengthIsRefused(bytes, RebuildLayout::readRequest);
    bytes.setShortLE(0, 2);
    assertThrows(GaussException.class, () -> RebuildLayout.readRequest(bytes));
  }

  @Test
  void theStateOfAStreamThatIsRebuilt() {
    RebuildLayout.State state =
        new RebuildLayout.State(
            new byte[] {1, 2, 3}, true, new TreeMap<>(Map.of(1, 0x500L, 2, 0x123456789AL)));
    ByteBuf bytes = RebuildLayout.write(Unpooled.buffer(), state);
    assertEquals(
        "01000100"
            + "03000000"
            + "01000000"
            + "02000000"
            + "010203"
            + "0100000000000000"
            + "0005000000000000"
            + "0200000000000000"
            + "9a78563412000000",
        ByteBufUtil.hexDump(bytes));
    assertEquals(RebuildLayout.stateBytes(state), bytes.readableBytes());
    assertEquals(RebuildLayout.STATE, RebuildLayout.kind(bytes));
    RebuildLayout.State read = RebuildLayout.readState(bytes);
    assertArrayEquals(state.state(), read.state());
    assertEquals(state.offsets(), read.offsets());
    assertTrue(read.pagesFollow());
    assertEveryOtherLengthIsRefused(
        bytes,
        cut -> {
          RebuildLayout.kind(cut);
          RebuildLayout.readState(cut);
        });
  }

  @Test
  void aStateAfterWhichNoPagesFollow() {
    ByteBuf bytes =
        RebuildLayout.write(
            Unpooled.buffer(), new RebuildLayout.State(new byte[] {7}, false, Map.of()));
    assertEquals("01000100" + "01000000" + "00000000" + "00000000" + "07", hex(bytes));
    assertFalse(RebuildLayout.readState(bytes).pagesFollow());
  }

  @Test
  void pagesOfARebuild() {
    ByteBuf head =
        RebuildLayout.writePagesHeader(Unpooled.buffer(), 2)
            .writeLongLE(0x0700000003L)
            .writeLongLE(0x0700000004L);
    assertEquals("01000200" + "02000000" + "0300000007000000" + "0400000007000000", hex(head));
    assertEquals(8 + 8, RebuildLayout.idAt(1));
    assertEquals(8 + 8 * 2 + 8192, RebuildLayout.imageAt(2, 1));
    ByteBuf whole = head.writeZero(2 * 8192);
    assertEquals(RebuildLayout.pagesBytes(2), whole.readableBytes());
    assertEquals(RebuildLayout.PAGES, RebuildLayout.kind(whole));
    assertEquals(2, RebuildLayout.pages(whole));
    ByteBuf cut = whole.slice(0, whole.readableBytes() - 1);
    assertThrows(GaussException.class, () -> RebuildLayout.kind(cut));
    whole.setIntLE(4, RebuildLayout.MAX_PAGES + 1);
    assertThrows(GaussException.class, () -> RebuildLayout.kind(whole));
  }

  @Test
  void theEndOfARebuild() {
    ByteBuf bytes = RebuildLayout.writeEnd(Unpooled.buffer(), 0x10002);
    assertEquals("01000300" + "0200010000000000", hex(bytes));
    assertEquals(RebuildLayout.END, RebuildLayout.kind(bytes));
    assertEquals(0x10002, RebuildLayout.sent(bytes));
    assertEveryOtherLengthIsRefused(bytes, RebuildLayout::kind);
  }

  @Test
  void anAnswerOfARebuildOfAnotherVersionOrKindIsRefused() {
    ByteBuf kind = RebuildLayout.writeEnd(Unpooled.buffer(), 1).setByte(2, 4);
    assertThrows(GaussException.class, () -> RebuildLayout.kind(kind));
    ByteBuf version = RebuildLayout.writeEnd(Unpooled.buffer(), 1).setShortLE(0, 2);
    assertThrows(GaussException.class, () -> RebuildLayout.kind(version));
  }

  @Test
  void aQuestionAboutAGroup() {
    UUID group = new UUID(0x0102030405060708L, 0x1112131415161718L);
    ByteBuf bytes = GroupLayout.write(Unpooled.buffer(), group);
    assertEquals("0100000000000000" + "0807060504030201" + "1817161514131211", hex(bytes));
    assertEquals(group, GroupLayout.readQuestion(bytes));
    assertEveryOtherLengthIsRefused(bytes, GroupLayout::readQuestion);
    bytes.setShortLE(0, 2);
    assertThrows(GaussException.class, () -> GroupLayout.readQuestion(bytes));
  }

  @Test
  void howAMemberOfAGroupStands() {
    GroupLayout.Standing standing =
        new GroupLayout.Standing(true, false, true, false, Set.of(203, 201));
    ByteBuf bytes = GroupLayout.write(Unpooled.buffer(), standing);
    assertEquals("01000500" + "02000000" + "c9000000" + "cb000000", hex(bytes));
    assertEquals(GroupLayout.bytes(standing), bytes.readableBytes());
    assertEquals(standing, GroupLayout.read(bytes));
    assertEveryOtherLengthIsRefused(bytes, GroupLayout::read);
    bytes.setShortLE(0, 2);
    assertThrows(GaussException.class, () -> GroupLayout.read(bytes));
  }

  @Test
  void eachFlagOfAStandingHasItsBit() {
    assertEquals("0100010000000000", flags(true, false, false, false));
    assertEquals("0100020000000000", flags(false, true, false, false));
    assertEquals("0100040000000000", flags(false, false, true, false));
    assertEquals("0100080000000000", flags(false, false, false, true));
  }

  private static String flags(boolean has, boolean leads, boolean settled, boolean mayLead) {
    GroupLayout.Standing standing =
        new GroupLayout.Standing(has, leads, settled, mayLead, Set.of());
    ByteBuf bytes = GroupLayout.write(Unpooled.buffer(), standing);
    assertEquals(standing, GroupLayout.read(bytes));
    return hex(bytes);
  }

  private static String hex(ByteBuf bytes) {
    return ByteBufUtil.hexDump(bytes);
  }

  /** A message that is truncated anywhere, or has an extra byte, is refused. */
  private static void assertEveryOtherLengthIsRefused(ByteBuf whole, Consumer<ByteBuf> read) {
    for (int length = 0; length < whole.readableBytes(); length++) {
      ByteBuf cut = whole.slice(0, length);
      assertThrows(GaussException.class, () -> read.accept(cut), "of " + length + " bytes");
    }
    ByteBuf longer = whole.copy().writeByte(0);
    assertThrows(GaussException.class, () -> read.accept(longer));
  }
}
