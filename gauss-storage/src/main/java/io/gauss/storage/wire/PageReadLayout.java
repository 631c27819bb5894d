package io.gauss.storage.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.page.PageChecksum;
import io.gauss.common.page.PageLayout;
import io.gauss.storage.api.PageBatch;
import io.netty.buffer.ByteBuf;

/**
 * Request and reply of a batch of page reads. Integers are little-endian; the transport's frame has
 * the checksum.
 *
 * <pre>
 * request                                        reply
 * offset size                                    offset size
 *  0     2   format version                       0     2   format version
 *  2     2   number of floors F                   2     2   zero
 *  4     4   number of pages N, 1 to 256          4     4   number of pages N
 *  8     4   longest wait in ms                   8     8N  LSN of each page, 0 = never written
 * 12     4   zero                                       8192N pages, zeros where never written
 * 16    16F  floors: stream (4), zero (4), offset (8)
 *       16N  pages: page id (8), lowest LSN that will do (8), 0 = any
 * </pre>
 */
public final class PageReadLayout {
  public static final int VERSION_VALUE = 1;
  public static final int MAX_PAGES = PageBatch.MOST;
  public static final int MAX_FLOORS = PageBatch.MOST;

  public static final int VERSION = 0;
  public static final int FLOORS = VERSION + 2;
  public static final int PAGES = FLOORS + 2;
  public static final int WAIT_MILLIS = PAGES + 4;
  public static final int RESERVED = WAIT_MILLIS + 4;
  public static final int REQUEST_HEADER_BYTES = RESERVED + 4;

  public static final int FLOOR_STREAM = 0;
  public static final int FLOOR_OFFSET = 8;
  public static final int FLOOR_BYTES = 16;

  public static final int PAGE_ID = 0;
  public static final int PAGE_LSN = 8;
  public static final int PAGE_BYTES = 16;

  public static final int REPLY_PAGES = 4;
  public static final int REPLY_HEADER_BYTES = 8;

  private PageReadLayout() {}

  public static int requestBytes(int floors, int pages) {
    return REQUEST_HEADER_BYTES + floors * FLOOR_BYTES + pages * PAGE_BYTES;
  }

  public static int floorAt(int floor) {
    return REQUEST_HEADER_BYTES + floor * FLOOR_BYTES;
  }

  public static int pageAt(int floors, int page) {
    return floorAt(floors) + page * PAGE_BYTES;
  }

  public static int replyBytes(int pages) {
    return imageAt(pages, pages);
  }

  public static int lsnAt(int page) {
    return REPLY_HEADER_BYTES + page * Long.BYTES;
  }

  /** Position of a page's bytes in a reply with this number of pages. */
  public static int imageAt(int pages, int page) {
    return lsnAt(pages) + page * PageLayout.PAGE_BYTES;
  }

  /**
   * Writes a request.
   *
   * @param buffer empty, with room for {@link #requestBytes}
   */
  public static ByteBuf write(ByteBuf buffer, PageBatch batch, int waitMillis) {
    writeHeader(buffer, batch.floors(), batch.pages(), waitMillis);
    for (int i = 0; i < batch.floors(); i++) {
      writeFloor(buffer, batch.floorStream(i), batch.floorOffset(i));
    }
    for (int i = 0; i < batch.pages(); i++) {
      writePage(buffer, batch.pageId(i), batch.lowestLsn(i));
    }
    return buffer;
  }

  public static void writeHeader(ByteBuf buffer, int floors, int pages, int waitMillis) {
    buffer.writeShortLE(VERSION_VALUE);
    buffer.writeShortLE(floors);
    buffer.writeIntLE(pages);
    buffer.writeIntLE(waitMillis);
    buffer.writeIntLE(0);
  }

  public static void writeFloor(ByteBuf buffer, int stream, long offset) {
    buffer.writeIntLE(stream);
    buffer.writeIntLE(0);
    buffer.writeLongLE(offset);
  }

  public static void writePage(ByteBuf buffer, long pageId, long lowestLsn) {
    buffer.writeLongLE(pageId);
    buffer.writeLongLE(lowestLsn);
  }

  /**
   * Checks the shape of a request, so that its fields can be read without further checks.
   *
   * @throws GaussException 08P01 naming what is wrong
   */
  public static void checkRequest(ByteBuf request) {
    int bytes = request.readableBytes();
    require(bytes >= REQUEST_HEADER_BYTES, "has " + bytes + " bytes");
    int at = request.readerIndex();
    checkVersion(request, at);
    int floors = request.getUnsignedShortLE(at + FLOORS);
    int pages = request.getIntLE(at + PAGES);
    require(floors <= MAX_FLOORS, "has " + floors + " floors");
    require(pages >= 1 && pages <= MAX_PAGES, "asks for " + pages + " pages");
    require(request.getIntLE(at + WAIT_MILLIS) >= 0, "would wait for less than nothing");
    require(bytes == requestBytes(floors, pages), "has " + bytes + " bytes");
  }

  /**
   * Checks a reply for the requested number of pages, and the format of each page.
   *
   * @param source the sender of the reply, for messages only
   * @throws GaussException 08P01; 0A000 when a page has a format that this release does not know
   */
  public static void checkReply(ByteBuf reply, int pages, Object source) {
    require(reply.readableBytes() == replyBytes(pages), "has " + reply.readableBytes() + " bytes");
    checkVersion(reply, reply.readerIndex());
    require(
        reply.getIntLE(reply.readerIndex() + REPLY_PAGES) == pages, "has another number of pages");
    for (int i = 0; i < pages; i++) {
      int image = reply.readerIndex() + imageAt(pages, i);
      PageChecksum.checkVersion(
          reply.getUnsignedByte(image + PageLayout.VERSION),
          reply.getLongLE(image + PageLayout.LSN),
          reply.getLongLE(image + PageLayout.PAGE_ID),
          source);
    }
  }

  private static void checkVersion(ByteBuf message, int at) {
    int version = message.getUnsignedShortLE(at + VERSION);
    require(version == VERSION_VALUE, "is of version " + version + ", not " + VERSION_VALUE);
  }

  private static void require(boolean condition, String problem) {
    if (!condition) {
      throw new GaussException(SqlState.PROTOCOL_VIOLATION, "a message of page reads " + problem);
    }
  }
}
