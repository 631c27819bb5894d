package io.gauss.storage.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.page.PageLayout;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.TreeMap;

/**
 * A storage node's request to another one to rebuild a replica from it, and the stream of answers:
 * a STATE, any number of PAGES, END. A stream that ends without END is not whole. Integers are
 * little-endian; the transport's frame has the checksum, and each page has its own.
 *
 * <pre>
 * request                                   answer
 * offset size                               offset size
 *  0     2   format version                  0     2   format version
 *  2     2   zero                            2     1   kind
 *  4     4   stream                          3     1   zero
 *  8     8   lowest Raft index that the           1 STATE    length of the state (4), 1 = pages follow,
 *            leader has                                      0 = the asker has enough (4), number of
 * 16     8   offset up to which the asker's                  offsets (4), the state, then for each
 *            pages have the stream                           stream: stream (4), zero (4), offset (8)
 *                                                 2 PAGES    number N (4), 8N page ids, 8192N pages
 *                                                 3 END      number of pages sent (8)
 * </pre>
 */
public final class RebuildLayout {
  public static final int VERSION_VALUE = 1;
  public static final int REQUEST_BYTES = 24;

  /** Pages in an answer. */
  public static final int MAX_PAGES = 32;

  public static final int STATE = 1;
  public static final int PAGES = 2;
  public static final int END = 3;

  private static final int KIND = 2;
  private static final int HEADER_BYTES = 4;
  private static final int STATE_HEADER_BYTES = HEADER_BYTES + 12;
  private static final int OFFSET_BYTES = 16;
  private static final int PAGES_HEADER_BYTES = HEADER_BYTES + 4;
  public static final int END_BYTES = HEADER_BYTES + 8;
  private static final int MAX_STATE_BYTES = 1 << 16;

  private RebuildLayout() {}

  /**
   * A request.
   *
   * @param firstAvailable lowest Raft index that the leader has
   * @param has offset up to which the requester's pages contain the stream
   */
  public record Request(int stream, long firstAvailable, long has) {}

  /**
   * The state of the stream where the replica continues.
   *
   * @param state of the stream's group, in its own format
   * @param pagesFollow whether the requester needs pages
   * @param offsets by stream, up to which the following pages contain it
   */
  public record State(byte[] state, boolean pagesFollow, Map<Integer, Long> offsets) {}

  public static ByteBuf write(ByteBuf buffer, Request request) {
    return buffer
        .writeShortLE(VERSION_VALUE)
        .writeShortLE(0)
        .writeIntLE(request.stream())
        .writeLongLE(request.firstAvailable())
        .writeLongLE(request.has());
  }

  /**
   * Reads a request; the buffer's indices are left as they are.
   *
   * @throws GaussException 08P01 when it is none, or of another version
   */
  public static Request readRequest(ByteBuf buffer) {
    int at = buffer.readerIndex();
    require(buffer.readableBytes() == REQUEST_BYTES, "has " + buffer.readableBytes() + " bytes");
    checkVersion(buffer);
    return new Request(
        buffer.getIntLE(at + 4), buffer.getLongLE(at + 8), buffer.getLongLE(at + 16));
  }

  private static ByteBuf header(ByteBuf buffer, int kind) {
    return buffer.writeShortLE(VERSION_VALUE).writeByte(kind).writeByte(0);
  }

  public static int stateBytes(State state) {
    return STATE_HEADER_BYTES + state.state().length + state.offsets().size() * OFFSET_BYTES;
  }

  public static ByteBuf write(ByteBuf buffer, State state) {
    header(buffer, STATE)
        .writeIntLE(state.state().length)
        .writeIntLE(state.pagesFollow() ? 1 : 0)
        .writeIntLE(state.offsets().size())
        .writeBytes(state.state());
    state
        .offsets()
        .forEach((stream, offset) -> buffer.writeIntLE(stream).writeIntLE(0).writeLongLE(offset));
    return buffer;
  }

  static int pagesBytes(int pages) {
    return imageAt(pages, pages);
  }

  /** Writes the head of an answer with pages, whose ids and bytes are then set in their places. */
  public static ByteBuf writePagesHeader(ByteBuf buffer, int pages) {
    return header(buffer, PAGES).writeIntLE(pages);
  }

  /** Position of a page's id in an answer. */
  public static int idAt(int page) {
    return PAGES_HEADER_BYTES + page * Long.BYTES;
  }

  /** Position of a page's bytes in an answer with this number of pages. */
  public static int imageAt(int pages, int page) {
    return idAt(pages) + page * PageLayout.PAGE_BYTES;
  }

  public static ByteBuf writeEnd(ByteBuf buffer, long pages) {
    return header(buffer, END).writeLongLE(pages);
  }

  /** Kind of an answer, whose version and shape have been checked. */
  public static int kind(ByteBuf answer) {
    require(answer.readableBytes() >= HEADER_BYTES, "is cut off");
    checkVersion(answer);
    int kind = answer.getUnsignedByte(answer.readerIndex() + KIND);
    int bytes = answer.readableBytes();
    boolean fits =
        switch (kind) {
          case STATE -> bytes >= STATE_HEADER_BYTES;
          case PAGES -> bytes >= PAGES_HEADER_BYTES && bytes == pagesBytes(pages(answer));
          case END -> bytes == END_BYTES;
          default -> false;
        };
    require(fits, "of kind " + kind + " has " + bytes + " bytes");
    return kind;
  }

  /** The content of a STATE. */
  public static State readState(ByteBuf answer) {
    int at = answer.readerIndex();
    int length = answer.getIntLE(at + HEADER_BYTES);
    int offsets = answer.getIntLE(at + HEADER_BYTES + 8);
    require(
        length >= 0
            && length <= MAX_STATE_BYTES
            && offsets >= 0
            && offsets <= answer.readableBytes() / OFFSET_BYTES
            && answer.readableBytes() == STATE_HEADER_BYTES + length + offsets * OFFSET_BYTES,
        "has " + offsets + " offsets in " + answer.readableBytes() + " bytes");
    byte[] state = new byte[length];
    answer.getBytes(at + STATE_HEADER_BYTES, state);
    Map<Integer, Long> byStream = new TreeMap<>();
    int entry = at + STATE_HEADER_BYTES + length;
    for (int i = 0; i < offsets; i++) {
      byStream.put(answer.getIntLE(entry), answer.getLongLE(entry + 8));
      entry += OFFSET_BYTES;
    }
    return new State(state, answer.getIntLE(at + HEADER_BYTES + 4) == 1, byStream);
  }

  /** Number of pages in a PAGES. */
  public static int pages(ByteBuf answer) {
    int pages = answer.getIntLE(answer.readerIndex() + HEADER_BYTES);
    require(pages >= 0 && pages <= MAX_PAGES, "has " + pages + " pages");
    return pages;
  }

  /** Number of sent pages according to an END. */
  public static long sent(ByteBuf answer) {
    return answer.getLongLE(answer.readerIndex() + HEADER_BYTES);
  }

  private static void checkVersion(ByteBuf message) {
    int version = message.getUnsignedShortLE(message.readerIndex());
    require(version == VERSION_VALUE, "is of version " + version + ", not " + VERSION_VALUE);
  }

  private static void require(boolean condition, String problem) {
    if (!condition) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION, "a message about rebuilding a replica " + problem);
    }
  }
}
