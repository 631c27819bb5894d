package io.gauss.storage.raft.rpc;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedOutputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.thirdparty.com.google.protobuf.Parser;

/**
 * A message between members of Raft groups: one or several of Ratis's own messages. Integers are
 * little-endian; the transport's frame has the checksum.
 *
 * <pre>
 * offset size
 *  0     2   format version
 *  2     2   number of parts
 *  4     4   length of the first part in bytes; 0 = it is not there
 *  8         the first part, as Ratis 3.3.0 writes it (Protocol Buffers), and so on
 * </pre>
 *
 * Heartbeats have a part for each group, and so have their answers, in the same order; a part that
 * is not there is a group that gave no answer. All others have one part.
 */
public final class RaftMessageLayout {
  public static final int VERSION_VALUE = 1;
  private static final int HEADER_BYTES = 4;

  private RaftMessageLayout() {}

  /** With one part. */
  static ByteBuf write(ByteBufAllocator allocator, MessageLite part) {
    return write(allocator, List.of(part));
  }

  /**
   * @param parts may be null each
   */
  static ByteBuf writeParts(ByteBufAllocator allocator, MessageLite... parts) {
    List<MessageLite> all = new ArrayList<>(parts.length);
    for (MessageLite part : parts) {
      all.add(part);
    }
    return write(allocator, all);
  }

  static ByteBuf write(ByteBufAllocator allocator, List<? extends MessageLite> parts) {
    int bytes = HEADER_BYTES;
    for (MessageLite part : parts) {
      bytes += Integer.BYTES + (part == null ? 0 : part.getSerializedSize());
    }
    ByteBuf buffer = allocator.directBuffer(bytes, bytes);
    buffer.writeShortLE(VERSION_VALUE).writeShortLE(parts.size());
    for (MessageLite part : parts) {
      int length = part == null ? 0 : part.getSerializedSize();
      buffer.writeIntLE(length);
      if (length > 0) {
        write(buffer, part, length);
      }
    }
    return buffer;
  }

  private static void write(ByteBuf buffer, MessageLite part, int length) {
    CodedOutputStream out =
        CodedOutputStream.newInstance(buffer.nioBuffer(buffer.writerIndex(), length));
    try {
      part.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new IllegalStateException("a message is longer than it said", e);
    }
    buffer.writerIndex(buffer.writerIndex() + length);
  }

  /**
   * Reads a message with one part.
   *
   * @throws GaussException 08P01 when it is none, or of another version
   */
  static <T> T read(ByteBuf message, Parser<T> parser) {
    List<T> parts = readParts(message, parser);
    require(parts.size() == 1 && parts.getFirst() != null);
    return parts.getFirst();
  }

  /**
   * Reads a message all of whose parts are there.
   *
   * @throws GaussException 08P01 when it is none, or of another version
   */
  static <T> List<T> readAll(ByteBuf message, Parser<T> parser) {
    List<T> parts = readParts(message, parser);
    require(!parts.contains(null));
    return parts;
  }

  /**
   * Reads a message's parts; null for each that is not there. They keep nothing of the message.
   *
   * @throws GaussException 08P01 when it is none, or of another version
   */
  static <T> List<T> readParts(ByteBuf message, Parser<T> parser) {
    require(message.readableBytes() >= HEADER_BYTES);
    int at = message.readerIndex();
    require(message.getUnsignedShortLE(at) == VERSION_VALUE);
    int count = message.getUnsignedShortLE(at + 2);
    at += HEADER_BYTES;
    List<T> parts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      require(message.writerIndex() - at >= Integer.BYTES);
      int length = message.getIntLE(at);
      at += Integer.BYTES;
      require(length >= 0 && length <= message.writerIndex() - at);
      parts.add(length == 0 ? null : parse(message, at, length, parser));
      at += length;
    }
    require(at == message.writerIndex());
    return parts;
  }

  /**
   * The parser gives entries bytes of their own: they stay in the log's memory, and the message
   * does not.
   */
  private static <T> T parse(ByteBuf message, int at, int length, Parser<T> parser) {
    try {
      return parser.parseFrom(message.nioBuffer(at, length));
    } catch (IOException e) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION, "a message between members of a group is damaged", e);
    }
  }

  private static void require(boolean shape) {
    if (!shape) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION,
          "not a message between members of a group that this version knows");
    }
  }
}
