package io.gauss.memory.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.page.PageLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of docs/formats.md: a change here is a change of the protocol. */
class PageMessageLayoutTest {
  private static final UnpooledByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;

  private static final PageMessage TRANSFER =
      new PageMessage(PageMessageKind.TRANSFER, 0x0908, 0x700000011L, 2, 5, 0x42, 0, null);

  private static final String TRANSFER_BYTES =
      "01000100"
          + "00000000" // version, count
          + "23000200"
          + "05000000" // kind, flags, slot, its epoch
          + "0809000000000000" // the home's epoch
          + "1100000007000000" // page
          + "4200000000000000" // number
          + "0000000000000000"; // LSN

  private static List<PageMessage> read(ByteBuf frame) {
    List<PageMessage> messages = new ArrayList<>();
    try {
      PageMessageLayout.read(frame, messages::add);
      return messages;
    } finally {
      frame.release();
    }
  }

  private static ByteBuf page(int seed) {
    ByteBuf page = ALLOCATOR.buffer(PageLayout.PAGE_BYTES);
    for (int i = 0; i < PageLayout.PAGE_BYTES; i++) {
      page.writeByte(i * 31 + seed);
    }
    return page;
  }

  @Test
  void aTransferHasTheseBytes() {
    ByteBuf frame = PageMessageLayout.write(ALLOCATOR, List.of(TRANSFER));
    String bytes = ByteBufUtil.hexDump(frame);
    frame.release();
    assertEquals(TRANSFER_BYTES, bytes);
  }

  @Test
  void theBytesOfATransferAreReadBack() {
    ByteBuf frame = Unpooled.wrappedBuffer(HexFormat.of().parseHex(TRANSFER_BYTES));
    assertEquals(List.of(TRANSFER), read(frame));
  }

  @Test
  void severalMessagesWithAndWithoutPagesTravelInOneFrame() {
    PageMessage given = new PageMessage(PageMessageKind.GIVEN, 0, 77, 0, 0, 8, 9, page(3));
    PageMessage probe = new PageMessage(PageMessageKind.PROBE, 0, 78, 0, 0, 10, 0, null);
    PageMessage copy = new PageMessage(PageMessageKind.COPY, 0, 79, 0, 0, 11, 12, page(4));

    List<PageMessage> back = read(PageMessageLayout.write(ALLOCATOR, List.of(given, probe, copy)));

    assertEquals(3, back.size());
    ByteBuf expected = page(3);
    assertEquals(expected, back.get(0).bytes());
    expected.release();
    assertNull(back.get(1).bytes());
    assertEquals(12, back.get(2).lsn());
    back.forEach(PageMessage::release);
  }

  @Test
  void everyKindIsFoundByItsNumber() {
    for (PageMessageKind kind : PageMessageKind.values()) {
      assertEquals(kind, PageMessageKind.of(kind.id()));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0100", // too short
        "01000100" + "00000000" + "23000200", // ends within an item
        TRANSFER_BYTES + "00", // too long
        "01000100"
            + "00000000"
            + "7f000200"
            + "00000000"
            + "0000000000000000"
            + "000000000000000000000000000000000000000000000000", // no such kind
        "01000100"
            + "00000000"
            + "41010200"
            + "00000000"
            + "0000000000000000"
            + "000000000000000000000000000000000000000000000000"
            + "00" // ends within a page
      })
  void whatIsNoFrameIsRefused(String bytes) {
    ByteBuf frame = Unpooled.wrappedBuffer(HexFormat.of().parseHex(bytes));
    GaussException e = assertThrows(GaussException.class, () -> read(frame));
    assertEquals(SqlState.PROTOCOL_VIOLATION, e.state());
  }

  @Test
  void aVersionThatIsNotKnownIsRefused() {
    ByteBuf frame =
        Unpooled.wrappedBuffer(HexFormat.of().parseHex("02" + TRANSFER_BYTES.substring(2)));
    GaussException e = assertThrows(GaussException.class, () -> read(frame));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, e.state());
  }
}
