package io.gauss.memory.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.MessageType;
import io.gauss.memory.coherence.Mode;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Messages about pages as bytes, several in one frame. Integers are little-endian.
 *
 * <pre>
 *  0  1  version, 1
 *  1  1  zero
 *  2  2  number of items
 *  4  4  zero
 *  8     items
 *
 * item
 *  0  1  kind, see {@link PageMessageKind}
 *  1  1  flags: 1 = the page follows
 *  2  2  slot of the reader or taker; REPORTED, APPLIED, FLOOR: a stream; else 0
 *  4  4  epoch of the node in the slot, else 0
 *  8  8  epoch of the home; COPY, GIVEN: {@link TransferTimes}; else 0
 * 16  8  page id; REPORTED, ASK_AGAIN, HOME, FLOOR: number of the bucket; APPLIED: 0
 * 24  8  number of the transfer or share; REPORTED, APPLIED, FLOOR: an offset; else 0
 * 32  8  LSN; SHARE, TRANSFER: nanoseconds that the request has waited at the home; else 0
 * 40     the page, 8 KiB
 * </pre>
 *
 * <p>The record of a kind defines which fields it has. A page carries its own checksum; frames have
 * theirs.
 */
public final class PageMessageLayout {
  public static final int VERSION = 1;

  /** Sent in sessions only (rule 14). */
  public static final MessageType PAGES = new MessageType(0x0401, "pages");

  public static final int HEADER_BYTES = 8;
  public static final int ITEM_BYTES = 40;

  private static final int WITH_PAGE = 1;
  private static final int MAX_ITEMS = 0xFFFF;

  private PageMessageLayout() {}

  /** Size of a message in a frame. */
  public static int bytes(PageMessage message) {
    return ITEM_BYTES + (message.bytes() == null ? 0 : PageLayout.PAGE_BYTES);
  }

  /** Takes over the messages' bytes. */
  public static ByteBuf write(ByteBufAllocator allocator, List<? extends PageMessage> messages) {
    if (messages.isEmpty() || messages.size() > MAX_ITEMS) {
      throw new IllegalArgumentException(messages.size() + " messages in a frame");
    }
    int bytes = HEADER_BYTES;
    for (PageMessage message : messages) {
      bytes += bytes(message);
    }
    ByteBuf frame = allocator.directBuffer(bytes);
    frame.writeByte(VERSION).writeByte(0).writeShortLE(messages.size()).writeIntLE(0);
    for (PageMessage message : messages) {
      write(frame, message);
    }
    return frame;
  }

  private static void write(ByteBuf frame, PageMessage message) {
    switch (message) {
      case ToHome.Want m -> ofPage(frame, m, 0, 0, 0, 0);
      case ToHome.Refused m -> ofPage(frame, m, m.reader(), m.readerEpoch(), 0, 0);
      case ToHome.Confirm m -> ofPage(frame, m, 0, 0, m.number(), m.lsn());
      case ToHome.Release m -> ofPage(frame, m, 0, 0, m.number(), m.lsn());
      case ToHome.Dropped m -> ofPage(frame, m, 0, 0, m.number(), 0);
      case ToHome.Kept m -> ofPage(frame, m, 0, 0, m.number(), 0);
      case ToHome.Left m -> ofPage(frame, m, 0, 0, m.number(), m.lsn());
      case ToHome.NotTaken m -> ofPage(frame, m, 0, 0, m.number(), 0);
      case ToHome.Owns m -> ofPage(frame, m, 0, 0, m.number(), 0);
      case ToHome.Leaving m -> ofPage(frame, m, m.taker(), m.takerEpoch(), m.number(), m.lsn());
      case ToHome.Reported m ->
          item(frame, m, m.stream(), 0, m.homeEpoch(), m.bucket(), m.durableEnd(), 0);
      case ToHome.Applied m -> item(frame, m, m.stream(), 0, 0, 0, m.offset(), m.lsn());

      case FromHome.Grant m -> ofPage(frame, m, 0, 0, m.number(), m.lsn());
      case FromHome.Share m ->
          ofPage(frame, m, m.reader(), m.readerEpoch(), m.number(), m.waitedNanos());
      case FromHome.Transfer m ->
          ofPage(frame, m, m.taker(), m.takerEpoch(), m.number(), m.waitedNanos());
      case FromHome.Confirmed m -> ofPage(frame, m, 0, 0, m.number(), 0);
      case FromHome.Revoke m -> ofPage(frame, m, 0, 0, m.number(), 0);
      case FromHome.Ask m -> ofPage(frame, m, 0, 0, m.number(), 0);
      case FromHome.Trace m -> ofPage(frame, m, m.taker(), m.takerEpoch(), m.number(), 0);
      case FromHome.NoRoom m -> ofPage(frame, m, 0, 0, 0, 0);
      case FromHome.AskAgain m -> item(frame, m, 0, 0, m.homeEpoch(), m.bucket(), 0, 0);
      case FromHome.Home m -> item(frame, m, 0, 0, m.homeEpoch(), m.bucket(), 0, 0);
      case FromHome.Floor m ->
          item(frame, m, m.stream(), 0, m.homeEpoch(), m.bucket(), m.offset(), 0);

      case FromHolder.Copy m -> item(frame, m, 0, 0, m.times(), m.page(), m.number(), m.lsn());
      case FromHolder.Given m -> item(frame, m, 0, 0, m.times(), m.page(), m.number(), m.lsn());
      case FromHolder.RevokeCopy m -> item(frame, m, 0, 0, 0, m.page(), m.number(), 0);
      case FromHolder.CopyDropped m -> item(frame, m, 0, 0, 0, m.page(), m.number(), 0);
      case FromHolder.Probe m -> item(frame, m, 0, 0, 0, m.page(), m.number(), 0);
    }
  }

  private static void ofPage(
      ByteBuf frame, ToHome.OfPage message, int slot, int slotEpoch, long number, long lsn) {
    item(frame, message, slot, slotEpoch, message.homeEpoch(), message.page(), number, lsn);
  }

  private static void ofPage(
      ByteBuf frame, FromHome.OfPage message, int slot, int slotEpoch, long number, long lsn) {
    item(frame, message, slot, slotEpoch, message.homeEpoch(), message.page(), number, lsn);
  }

  /** Writes the fields in their order in the item. */
  private static void item(
      ByteBuf frame,
      PageMessage message,
      int slot,
      int slotEpoch,
      long homeEpoch,
      long page,
      long number,
      long lsn) {
    ByteBuf bytes = message.bytes();
    frame
        .writeByte(message.kind().id())
        .writeByte(bytes == null ? 0 : WITH_PAGE)
        .writeShortLE(slot)
        .writeIntLE(slotEpoch)
        .writeLongLE(homeEpoch)
        .writeLongLE(page)
        .writeLongLE(number)
        .writeLongLE(lsn);
    if (bytes != null) {
      if (bytes.readableBytes() != PageLayout.PAGE_BYTES) {
        throw new IllegalArgumentException("a page of " + bytes.readableBytes() + " bytes");
      }
      frame.writeBytes(bytes, bytes.readerIndex(), PageLayout.PAGE_BYTES);
      bytes.release();
    }
  }

  /**
   * Hands out the messages of a frame. Pages in them are slices of it, retained for the receiver.
   *
   * <p>The sender's session counts the frame as delivered whatever is in it. So an item that makes
   * no sense costs no other: all others are handed out before the error is thrown.
   *
   * @param sort messages that the sender may send; any other violates the protocol
   * @throws GaussException 08P01 when the frame is invalid, 0A000 when its version is unknown
   */
  public static <M extends PageMessage> void read(ByteBuf frame, Class<M> sort, Consumer<M> to) {
    if (frame.readableBytes() < HEADER_BYTES) {
      throw broken("of " + frame.readableBytes() + " bytes");
    }
    int version = frame.readUnsignedByte();
    if (version != VERSION) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED, "version " + version + " of messages about pages");
    }
    frame.skipBytes(1);
    int count = frame.readUnsignedShortLE();
    frame.skipBytes(4);
    GaussException first = null;
    for (int i = 0; i < count; i++) {
      checkItem(frame);
      int next = frame.readerIndex() + itemBytes(frame);
      PageMessage message = null;
      try {
        message = readItem(frame);
        if (!sort.isInstance(message)) {
          PageMessageKind kind = message.kind();
          message.release();
          message = null;
          throw broken("with " + kind + ", which its sender may not say");
        }
      } catch (GaussException e) {
        first = first == null ? e : first;
      }
      frame.readerIndex(next);
      if (message != null) {
        to.accept(sort.cast(message));
      }
    }
    if (frame.isReadable()) {
      throw broken("with " + frame.readableBytes() + " bytes too many");
    }
    if (first != null) {
      throw first;
    }
  }

  /** Checks that the whole of the next item is there. */
  private static void checkItem(ByteBuf frame) {
    if (frame.readableBytes() < ITEM_BYTES) {
      throw broken("that ends within an item");
    }
    if (frame.readableBytes() < itemBytes(frame)) {
      throw broken("that ends within a page");
    }
  }

  /** Bytes of the next item, with its page. */
  private static int itemBytes(ByteBuf frame) {
    int flags = frame.getUnsignedByte(frame.readerIndex() + 1);
    return ITEM_BYTES + ((flags & WITH_PAGE) == 0 ? 0 : PageLayout.PAGE_BYTES);
  }

  private static PageMessage readItem(ByteBuf frame) {
    int id = frame.readUnsignedByte();
    int flags = frame.readUnsignedByte();
    int slot = frame.readUnsignedShortLE();
    int slotEpoch = frame.readIntLE();
    long homeEpoch = frame.readLongLE();
    long page = frame.readLongLE();
    long number = frame.readLongLE();
    long lsn = frame.readLongLE();
    PageMessageKind kind;
    try {
      kind = PageMessageKind.of(id);
    } catch (IllegalArgumentException e) {
      throw broken("with an item of kind " + id);
    }
    ByteBuf bytes = (flags & WITH_PAGE) == 0 ? null : readPage(frame, kind);
    return switch (kind) {
      case WANT_READ -> new ToHome.Want(homeEpoch, page, Mode.READ);
      case WANT_WRITE -> new ToHome.Want(homeEpoch, page, Mode.WRITE);
      case REFUSED -> new ToHome.Refused(homeEpoch, page, slot, slotEpoch);
      case CONFIRM -> new ToHome.Confirm(homeEpoch, page, number, lsn);
      case RELEASE -> new ToHome.Release(homeEpoch, page, number, lsn, bytes);
      case DROPPED -> new ToHome.Dropped(homeEpoch, page, number);
      case KEPT -> new ToHome.Kept(homeEpoch, page, number);
      case LEFT -> new ToHome.Left(homeEpoch, page, number, lsn);
      case NOT_TAKEN -> new ToHome.NotTaken(homeEpoch, page, number);
      case OWNS -> new ToHome.Owns(homeEpoch, page, number);
      case LEAVING -> new ToHome.Leaving(homeEpoch, page, slot, slotEpoch, number, lsn);
      case REPORTED -> new ToHome.Reported(homeEpoch, bucket(page), slot, number);
      case APPLIED -> new ToHome.Applied(slot, number, lsn);
      case GRANT_READ -> new FromHome.Grant(homeEpoch, page, false, number, lsn, bytes);
      case GRANT_WRITE -> new FromHome.Grant(homeEpoch, page, true, number, lsn, bytes);
      case SHARE -> new FromHome.Share(homeEpoch, page, slot, slotEpoch, number, lsn);
      case TRANSFER -> new FromHome.Transfer(homeEpoch, page, slot, slotEpoch, number, lsn);
      case CONFIRMED -> new FromHome.Confirmed(homeEpoch, page, number);
      case REVOKE -> new FromHome.Revoke(homeEpoch, page, number);
      case ASK -> new FromHome.Ask(homeEpoch, page, number);
      case TRACE -> new FromHome.Trace(homeEpoch, page, slot, slotEpoch, number);
      case NO_ROOM -> new FromHome.NoRoom(homeEpoch, page);
      case ASK_AGAIN -> new FromHome.AskAgain(homeEpoch, bucket(page));
      case HOME -> new FromHome.Home(homeEpoch, bucket(page));
      case FLOOR -> new FromHome.Floor(homeEpoch, bucket(page), slot, number);
      case COPY -> new FromHolder.Copy(page, number, lsn, homeEpoch, withPage(bytes));
      case GIVEN -> new FromHolder.Given(page, number, lsn, homeEpoch, withPage(bytes));
      case REVOKE_COPY -> new FromHolder.RevokeCopy(page, number);
      case COPY_DROPPED -> new FromHolder.CopyDropped(page, number);
      case PROBE -> new FromHolder.Probe(page, number);
    };
  }

  private static ByteBuf readPage(ByteBuf frame, PageMessageKind kind) {
    if (!kind.mayHavePage()) {
      throw broken("with a page behind " + kind);
    }
    return frame.readRetainedSlice(PageLayout.PAGE_BYTES);
  }

  private static ByteBuf withPage(ByteBuf bytes) {
    if (bytes == null) {
      throw broken("with a copy but without its page");
    }
    return bytes;
  }

  private static int bucket(long number) {
    if (number < 0 || number >= PageBuckets.BUCKETS) {
      throw broken("about bucket " + number);
    }
    return (int) number;
  }

  private static GaussException broken(String how) {
    return new GaussException(SqlState.PROTOCOL_VIOLATION, "a frame of page messages " + how);
  }
}
