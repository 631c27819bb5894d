package io.gauss.memory.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.MessageType;
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
 *  2  2  slot
 *  4  4  epoch of the node in the slot
 *  8  8  epoch of the home
 * 16  8  page id
 * 24  8  number
 * 32  8  LSN
 * 40     the page, 8 KiB
 * </pre>
 *
 * <p>A page carries its own checksum; frames have theirs.
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

  /** Takes over the messages' bytes. */
  public static ByteBuf write(ByteBufAllocator allocator, List<PageMessage> messages) {
    if (messages.isEmpty() || messages.size() > MAX_ITEMS) {
      throw new IllegalArgumentException(messages.size() + " messages in a frame");
    }
    int bytes = HEADER_BYTES;
    for (PageMessage message : messages) {
      bytes += ITEM_BYTES + (message.bytes() == null ? 0 : PageLayout.PAGE_BYTES);
    }
    ByteBuf frame = allocator.directBuffer(bytes);
    frame.writeByte(VERSION).writeByte(0).writeShortLE(messages.size()).writeIntLE(0);
    for (PageMessage message : messages) {
      write(frame, message);
    }
    return frame;
  }

  private static void write(ByteBuf frame, PageMessage message) {
    ByteBuf page = message.bytes();
    frame
        .writeByte(message.kind().id())
        .writeByte(page == null ? 0 : WITH_PAGE)
        .writeShortLE(message.slot())
        .writeIntLE(message.slotEpoch())
        .writeLongLE(message.homeEpoch())
        .writeLongLE(message.page())
        .writeLongLE(message.number())
        .writeLongLE(message.lsn());
    if (page != null) {
      if (page.readableBytes() != PageLayout.PAGE_BYTES) {
        throw new IllegalArgumentException("a page of " + page.readableBytes() + " bytes");
      }
      frame.writeBytes(page, page.readerIndex(), PageLayout.PAGE_BYTES);
      page.release();
    }
  }

  /**
   * Hands out the messages of a frame. Pages in them are slices of it, retained for who gets them.
   *
   * @throws GaussException 08P01 when it is none, 0A000 when its version is not known
   */
  public static void read(ByteBuf frame, Consumer<PageMessage> to) {
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
    for (int i = 0; i < count; i++) {
      to.accept(readItem(frame));
    }
    if (frame.isReadable()) {
      throw broken("with " + frame.readableBytes() + " bytes too many");
    }
  }

  private static PageMessage readItem(ByteBuf frame) {
    if (frame.readableBytes() < ITEM_BYTES) {
      throw broken("that ends within an item");
    }
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
    ByteBuf bytes = null;
    if ((flags & WITH_PAGE) != 0) {
      if (frame.readableBytes() < PageLayout.PAGE_BYTES) {
        throw broken("that ends within a page");
      }
      bytes = frame.readRetainedSlice(PageLayout.PAGE_BYTES);
    }
    return new PageMessage(kind, homeEpoch, page, slot, slotEpoch, number, lsn, bytes);
  }

  private static GaussException broken(String how) {
    return new GaussException(SqlState.PROTOCOL_VIOLATION, "a frame of page messages " + how);
  }
}
