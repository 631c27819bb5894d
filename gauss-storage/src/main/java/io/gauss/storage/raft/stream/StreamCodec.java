package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.MessageType;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Requests about streams and their answers as messages between nodes. Integers are little-endian;
 * the transport's frame has checksum and kind of request.
 *
 * <pre>
 * request: version (2), zero (2), stream (4), then
 *   append   the entry, {@link StreamEntryLayout}
 *   ask      nothing
 *   seal     epoch (4)
 *   open     epoch (4), token (8)
 *   trim     offset (8)
 *   read     from (8), at least (8), bytes (4), longest wait in ms (8)
 *   locate   LSN (8), at least (8)
 *   entry    Raft index (8)
 *   subscribe, raise   storage node (4), tenure (8), offset (8)
 *   unsubscribe        storage node (4), tenure (8)
 * answer: version (2), kind (1), zero (1), then
 *   1 appended, 2 wrong offset    end offset (8)
 *   3 fenced                      epoch (4)
 *   4 state                       start (8), end (8), last LSN (8), epoch (4)
 *   5 batches                     durable offset (8), number (4), and for each: offset (8),
 *                                 first LSN (8), last LSN (8), length (4), bytes
 *   6 located                     offset (8), -1 = after the end
 *   7 not leader                  storage node that leads (4), -1 = not known
 *   8 disk full, 9 busy, 10 unknown   text: length (4), UTF-8
 *   11 refused                    SQLSTATE (text), message (text)
 *   12 entry                      length (4), bytes as in the Raft log
 *   13 subscribed                 start (8), tenure (8) and offset (8), -1 = no subscription
 * </pre>
 */
public final class StreamCodec {
  public static final int VERSION = 1;
  private static final int REQUEST_HEADER = 8;

  private static final int APPENDED = 1;
  private static final int WRONG_OFFSET = 2;
  private static final int FENCED = 3;
  private static final int STATE = 4;
  private static final int BATCHES = 5;
  private static final int LOCATED = 6;
  private static final int NOT_LEADER = 7;
  private static final int DISK_FULL = 8;
  private static final int BUSY = 9;
  private static final int UNKNOWN = 10;
  private static final int REFUSED = 11;
  private static final int ENTRY = 12;
  private static final int SUBSCRIBED = 13;

  private static final int NOT_KNOWN = -1;

  private StreamCodec() {}

  public static MessageType type(StreamRequest request) {
    return switch (request) {
      case StreamRequest.Append append -> StorageMessages.STREAM_APPEND;
      case StreamRequest.Ask ask -> StorageMessages.STREAM_ASK;
      case StreamRequest.Seal seal -> StorageMessages.STREAM_SEAL;
      case StreamRequest.Open open -> StorageMessages.STREAM_OPEN;
      case StreamRequest.Trim trim -> StorageMessages.STREAM_TRIM;
      case StreamRequest.Read read -> StorageMessages.STREAM_READ;
      case StreamRequest.Locate locate -> StorageMessages.STREAM_LOCATE;
      case StreamRequest.Entry entry -> StorageMessages.STREAM_ENTRY;
      case StreamRequest.Subscribe subscribe -> StorageMessages.STREAM_SUBSCRIBE;
      case StreamRequest.Raise raise -> StorageMessages.STREAM_RAISE;
      case StreamRequest.Unsubscribe unsubscribe -> StorageMessages.STREAM_UNSUBSCRIBE;
    };
  }

  /** Types of all requests. */
  public static List<MessageType> types() {
    return List.of(
        StorageMessages.STREAM_APPEND,
        StorageMessages.STREAM_ASK,
        StorageMessages.STREAM_SEAL,
        StorageMessages.STREAM_OPEN,
        StorageMessages.STREAM_TRIM,
        StorageMessages.STREAM_READ,
        StorageMessages.STREAM_LOCATE,
        StorageMessages.STREAM_ENTRY,
        StorageMessages.STREAM_SUBSCRIBE,
        StorageMessages.STREAM_RAISE,
        StorageMessages.STREAM_UNSUBSCRIBE);
  }

  /** A request's payload; an append's bytes are referred to, not copied. */
  public static ByteBuf encode(StreamRequest request, ByteBufAllocator allocator) {
    ByteBuf to = allocator.directBuffer(REQUEST_HEADER + 28);
    to.writeShortLE(VERSION).writeShortLE(0).writeIntLE(request.stream());
    switch (request) {
      case StreamRequest.Append append -> {
        return Unpooled.wrappedUnmodifiableBuffer(to, Unpooled.wrappedBuffer(append.entry()));
      }
      case StreamRequest.Ask ask -> {}
      case StreamRequest.Seal seal -> to.writeIntLE(seal.epoch());
      case StreamRequest.Open open -> to.writeIntLE(open.epoch()).writeLongLE(open.token());
      case StreamRequest.Trim trim -> to.writeLongLE(trim.offset());
      case StreamRequest.Read read -> {
        to.writeLongLE(read.from()).writeLongLE(read.atLeast());
        to.writeIntLE(read.maxBytes()).writeLongLE(read.waitMillis());
      }
      case StreamRequest.Locate locate ->
          to.writeLongLE(locate.csn()).writeLongLE(locate.atLeast());
      case StreamRequest.Entry entry -> to.writeLongLE(entry.raftIndex());
      case StreamRequest.Subscribe subscribe ->
          about(to, subscribe.node(), subscribe.tenure()).writeLongLE(subscribe.offset());
      case StreamRequest.Raise raise ->
          about(to, raise.node(), raise.tenure()).writeLongLE(raise.offset());
      case StreamRequest.Unsubscribe unsubscribe ->
          about(to, unsubscribe.node(), unsubscribe.tenure());
    }
    return to;
  }

  private static ByteBuf about(ByteBuf to, int node, long tenure) {
    return to.writeIntLE(node).writeLongLE(tenure);
  }

  /**
   * The request of a payload, whose bytes it copies.
   *
   * @throws GaussException 08P01 when it is none
   */
  public static StreamRequest decodeRequest(MessageType type, ByteBuf payload) {
    ByteBuf from = payload.slice();
    try {
      checkVersion(from.readUnsignedShortLE());
      from.skipBytes(2);
      int stream = from.readIntLE();
      StreamRequest request = request(type.id(), stream, from);
      require(!from.isReadable(), "is too long");
      return request;
    } catch (IndexOutOfBoundsException e) {
      throw malformed("is cut off", e);
    }
  }

  private static StreamRequest request(int type, int stream, ByteBuf from) {
    if (type == StorageMessages.STREAM_APPEND.id()) {
      byte[] entry = ByteBufUtil.getBytes(from);
      from.skipBytes(entry.length);
      return new StreamRequest.Append(stream, entry);
    } else if (type == StorageMessages.STREAM_ASK.id()) {
      return new StreamRequest.Ask(stream);
    } else if (type == StorageMessages.STREAM_SEAL.id()) {
      return new StreamRequest.Seal(stream, from.readIntLE());
    } else if (type == StorageMessages.STREAM_OPEN.id()) {
      return new StreamRequest.Open(stream, from.readIntLE(), from.readLongLE());
    } else if (type == StorageMessages.STREAM_TRIM.id()) {
      return new StreamRequest.Trim(stream, from.readLongLE());
    } else if (type == StorageMessages.STREAM_READ.id()) {
      return new StreamRequest.Read(
          stream, from.readLongLE(), from.readLongLE(), from.readIntLE(), from.readLongLE());
    } else if (type == StorageMessages.STREAM_LOCATE.id()) {
      return new StreamRequest.Locate(stream, from.readLongLE(), from.readLongLE());
    } else if (type == StorageMessages.STREAM_ENTRY.id()) {
      return new StreamRequest.Entry(stream, from.readLongLE());
    } else if (type == StorageMessages.STREAM_SUBSCRIBE.id()) {
      return new StreamRequest.Subscribe(
          stream, from.readIntLE(), from.readLongLE(), from.readLongLE());
    } else if (type == StorageMessages.STREAM_RAISE.id()) {
      return new StreamRequest.Raise(
          stream, from.readIntLE(), from.readLongLE(), from.readLongLE());
    } else if (type == StorageMessages.STREAM_UNSUBSCRIBE.id()) {
      return new StreamRequest.Unsubscribe(stream, from.readIntLE(), from.readLongLE());
    }
    throw malformed("is of unknown type " + type, null);
  }

  /** An answer's payload; batches' bytes are copied. */
  public static ByteBuf encode(StreamAnswer answer, ByteBufAllocator allocator) {
    return switch (answer) {
      case StreamAnswer.Appended appended ->
          header(allocator, APPENDED).writeLongLE(appended.endOffset());
      case StreamAnswer.WrongOffset wrong ->
          header(allocator, WRONG_OFFSET).writeLongLE(wrong.endOffset());
      case StreamAnswer.Fenced fenced -> header(allocator, FENCED).writeIntLE(fenced.epoch());
      case StreamAnswer.State state -> {
        StreamInfo info = state.info();
        yield header(allocator, STATE)
            .writeLongLE(info.start())
            .writeLongLE(info.end())
            .writeLongLE(info.lastLsn())
            .writeIntLE(info.epoch());
      }
      case StreamAnswer.Batches batches -> {
        ByteBuf to = header(allocator, BATCHES);
        to.writeLongLE(batches.durableOffset()).writeIntLE(batches.batches().size());
        for (StreamAnswer.Batch batch : batches.batches()) {
          to.writeLongLE(batch.offset()).writeLongLE(batch.firstLsn());
          to.writeLongLE(batch.lastLsn()).writeIntLE(batch.bytes().remaining());
          to.writeBytes(batch.bytes().duplicate());
        }
        yield to;
      }
      case StreamAnswer.Located located ->
          header(allocator, LOCATED).writeLongLE(located.offset().orElse(NOT_KNOWN));
      case StreamAnswer.NotLeader other ->
          header(allocator, NOT_LEADER).writeIntLE(other.leader().orElse(NOT_KNOWN));
      case StreamAnswer.DiskFull full -> text(header(allocator, DISK_FULL), full.file());
      case StreamAnswer.Busy busy -> text(header(allocator, BUSY), busy.reason());
      case StreamAnswer.Unknown unknown -> text(header(allocator, UNKNOWN), unknown.reason());
      case StreamAnswer.Refused refused ->
          text(text(header(allocator, REFUSED), refused.sqlState()), refused.message());
      case StreamAnswer.Entry entry ->
          header(allocator, ENTRY).writeIntLE(entry.bytes().length).writeBytes(entry.bytes());
      case StreamAnswer.Subscribed subscribed ->
          header(allocator, SUBSCRIBED)
              .writeLongLE(subscribed.start())
              .writeLongLE(subscribed.tenure())
              .writeLongLE(subscribed.from());
    };
  }

  private static ByteBuf header(ByteBufAllocator allocator, int kind) {
    return allocator.directBuffer().writeShortLE(VERSION).writeByte(kind).writeByte(0);
  }

  private static ByteBuf text(ByteBuf to, String text) {
    byte[] bytes = String.valueOf(text).getBytes(StandardCharsets.UTF_8);
    return to.writeIntLE(bytes.length).writeBytes(bytes);
  }

  /**
   * The answer of a payload, whose bytes it copies.
   *
   * @throws GaussException 08P01 when it is none
   */
  static StreamAnswer decodeAnswer(ByteBuf payload) {
    ByteBuf from = payload.slice();
    try {
      checkVersion(from.readUnsignedShortLE());
      int kind = from.readUnsignedByte();
      from.skipBytes(1);
      StreamAnswer answer = answer(kind, from);
      require(!from.isReadable(), "is too long");
      return answer;
    } catch (IndexOutOfBoundsException e) {
      throw malformed("is cut off", e);
    }
  }

  private static StreamAnswer answer(int kind, ByteBuf from) {
    return switch (kind) {
      case APPENDED -> new StreamAnswer.Appended(from.readLongLE());
      case WRONG_OFFSET -> new StreamAnswer.WrongOffset(from.readLongLE());
      case FENCED -> new StreamAnswer.Fenced(from.readIntLE());
      case STATE ->
          new StreamAnswer.State(
              new StreamInfo(
                  from.readLongLE(), from.readLongLE(), from.readLongLE(), from.readIntLE()));
      case BATCHES -> batches(from);
      case LOCATED -> {
        long offset = from.readLongLE();
        yield new StreamAnswer.Located(
            offset == NOT_KNOWN ? OptionalLong.empty() : OptionalLong.of(offset));
      }
      case NOT_LEADER -> {
        int leader = from.readIntLE();
        yield new StreamAnswer.NotLeader(
            leader == NOT_KNOWN ? OptionalInt.empty() : OptionalInt.of(leader));
      }
      case DISK_FULL -> new StreamAnswer.DiskFull(text(from));
      case BUSY -> new StreamAnswer.Busy(text(from));
      case UNKNOWN -> new StreamAnswer.Unknown(text(from));
      case REFUSED -> new StreamAnswer.Refused(text(from), text(from));
      case ENTRY -> {
        int length = from.readIntLE();
        require(length > 0 && length <= from.readableBytes(), "is cut off");
        byte[] bytes = new byte[length];
        from.readBytes(bytes);
        yield new StreamAnswer.Entry(bytes);
      }
      case SUBSCRIBED ->
          new StreamAnswer.Subscribed(from.readLongLE(), from.readLongLE(), from.readLongLE());
      default -> throw malformed("is of unknown kind " + kind, null);
    };
  }

  private static StreamAnswer batches(ByteBuf from) {
    long durable = from.readLongLE();
    int count = from.readIntLE();
    List<StreamAnswer.Batch> batches = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long offset = from.readLongLE();
      long firstLsn = from.readLongLE();
      long lastLsn = from.readLongLE();
      int length = from.readIntLE();
      require(length > 0 && length <= from.readableBytes(), "is cut off");
      ByteBuffer bytes = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
      from.readBytes(bytes);
      batches.add(new StreamAnswer.Batch(offset, firstLsn, lastLsn, bytes.flip()));
    }
    return new StreamAnswer.Batches(batches, durable);
  }

  private static String text(ByteBuf from) {
    int length = from.readIntLE();
    require(length >= 0 && length <= from.readableBytes(), "is cut off");
    return from.readString(length, StandardCharsets.UTF_8);
  }

  private static void checkVersion(int version) {
    require(version == VERSION, "is of version " + version + ", not " + VERSION);
  }

  private static void require(boolean condition, String problem) {
    if (!condition) {
      throw malformed(problem, null);
    }
  }

  private static GaussException malformed(String problem, Throwable cause) {
    return new GaussException(
        SqlState.PROTOCOL_VIOLATION, "a message about log streams " + problem, cause);
  }
}
