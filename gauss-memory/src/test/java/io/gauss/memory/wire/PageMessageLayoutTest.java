package io.gauss.memory.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.page.PageLayout;
import io.gauss.memory.coherence.Mode;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of docs/formats.md: a change here is a change of the protocol. */
class PageMessageLayoutTest {
  private static final UnpooledByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;

  private static final PageMessage TRANSFER =
      new FromHome.Transfer(0x0908, 0x700000011L, 2, 5, 0x42, 0);

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
      PageMessageLayout.read(frame, PageMessage.class, messages::add);
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
    PageMessage given = new FromHolder.Given(77, 8, 9, 0, page(3));
    PageMessage probe = new FromHolder.Probe(78, 10);
    PageMessage copy = new FromHolder.Copy(79, 11, 12, 0, page(4));

    List<PageMessage> back = read(PageMessageLayout.write(ALLOCATOR, List.of(given, probe, copy)));

    assertEquals(3, back.size());
    ByteBuf expected = page(3);
    assertEquals(expected, back.get(0).bytes());
    expected.release();
    assertNull(back.get(1).bytes());
    assertEquals(12, ((FromHolder.Copy) back.get(2)).lsn());
    back.forEach(PageMessage::release);
  }

  /** One of each kind, every field with a value of its own. */
  private static List<PageMessage> oneOfEach() {
    return List.of(
        new ToHome.Want(1, 2, Mode.READ),
        new ToHome.Want(1, 2, Mode.WRITE),
        new ToHome.Refused(1, 2, 3, 4),
        new ToHome.Confirm(1, 2, 5, 6),
        new ToHome.Release(1, 2, 5, 6, null),
        new ToHome.Dropped(1, 2, 5),
        new ToHome.Kept(1, 2, 5),
        new ToHome.Left(1, 2, 5, 6),
        new ToHome.NotTaken(1, 2, 5),
        new ToHome.Owns(1, 2, 5),
        new ToHome.Leaving(1, 2, 3, 4, 5, 6),
        new ToHome.Reported(1, 2, 3, 5),
        new ToHome.Applied(3, 5, 6),
        new FromHome.Grant(1, 2, false, 5, 6, null),
        new FromHome.Grant(1, 2, true, 5, 6, null),
        new FromHome.Share(1, 2, 3, 4, 5, 6),
        new FromHome.Transfer(1, 2, 3, 4, 5, 6),
        new FromHome.Confirmed(1, 2, 5),
        new FromHome.Revoke(1, 2, 5),
        new FromHome.Ask(1, 2, 5),
        new FromHome.Trace(1, 2, 3, 4, 5),
        new FromHome.NoRoom(1, 2),
        new FromHome.AskAgain(1, 2),
        new FromHome.Home(1, 2),
        new FromHome.Floor(1, 2, 3, 5),
        new FromHolder.Copy(2, 5, 6, 7, page(1)),
        new FromHolder.Given(2, 5, 6, 7, page(2)),
        new FromHolder.RevokeCopy(2, 5),
        new FromHolder.CopyDropped(2, 5),
        new FromHolder.Probe(2, 5));
  }

  @Test
  void everyKindIsReadBackAsItWasWritten() {
    List<PageMessage> written = oneOfEach();
    assertEquals(
        EnumSet.allOf(PageMessageKind.class),
        written.stream()
            .map(PageMessage::kind)
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(PageMessageKind.class))));
    for (PageMessage message : written) {
      ByteBuf page = message.bytes() == null ? null : message.bytes().copy();
      PageMessage back = read(PageMessageLayout.write(ALLOCATOR, List.of(message))).getFirst();
      assertEquals(text(message), text(back));
      assertEquals(page, back.bytes());
      back.release();
      if (page != null) {
        page.release();
      }
    }
  }

  /** The fields without the page, since its text shows the buffer's identity. */
  private static String text(PageMessage message) {
    return message.toString().replaceFirst("bytes=.*", "");
  }

  @Test
  void whatTheSenderMayNotSayIsRefusedAndItsPageIsReleased() {
    ByteBuf frame =
        PageMessageLayout.write(ALLOCATOR, List.of(new FromHolder.Given(77, 8, 9, 0, page(3))));
    GaussException e =
        assertThrows(
            GaussException.class,
            () -> PageMessageLayout.read(frame, FromHome.class, FromHome::release));
    assertEquals(SqlState.PROTOCOL_VIOLATION, e.state());
    assertEquals(1, frame.refCnt());
    frame.release();
  }

  @Test
  void anItemThatMakesNoSenseCostsNoOther() {
    ByteBuf frame =
        PageMessageLayout.write(
            ALLOCATOR,
            List.of(
                new FromHome.Confirmed(1, 77, 8),
                new FromHolder.Given(77, 8, 9, 0, page(3)),
                new FromHome.Home(2, 5),
                new FromHome.AskAgain(2, 6)));
    int home =
        PageMessageLayout.HEADER_BYTES
            + 2 * PageMessageLayout.ITEM_BYTES
            + PageLayout.PAGE_BYTES
            + 16;
    frame.setLongLE(home, PageBuckets.BUCKETS); // there is no such bucket
    List<PageMessage> read = new ArrayList<>();
    assertThrows(
        GaussException.class, () -> PageMessageLayout.read(frame, FromHome.class, read::add));
    assertEquals(List.of(new FromHome.Confirmed(1, 77, 8), new FromHome.AskAgain(2, 6)), read);
    assertEquals(1, frame.refCnt());
    frame.release();
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
            + "00", // ends within a page
        "01000100"
            + "00000000"
            + "41000000"
            + "00000000"
            + "0000000000000000"
            + "000000000000000000000000000000000000000000000000", // given without a page
        "01000100"
            + "00000000"
            + "29000000"
            + "00000000"
            + "0000000000000000"
            + "001000000000000000000000000000000000000000000000" // home of bucket 4096
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
