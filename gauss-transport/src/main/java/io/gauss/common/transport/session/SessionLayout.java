package io.gauss.common.transport.session;

import io.gauss.common.transport.MessageType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Payloads of a session's messages. Integers are little-endian.
 *
 * <pre>
 * OPEN, a request that a stream answers        STATE, an item of that stream
 *  0  4  version, 1                              0  4  receiver's epoch
 *  4  4  sender's epoch                          4  4  attempt
 *  8  4  receiver's epoch                        8  8  number of the last message delivered
 * 12  4  attempt
 *
 * DATA, one-way
 *  0  8  number of the message
 *  8  4  attempt
 * 12  2  message type
 * 14  2  flags: 1 = acknowledge now
 * 16     payload of that type
 *
 * ASK, one-way: acknowledge what has come
 *  0  4  attempt
 * </pre>
 *
 * The first STATE answers OPEN, the others acknowledge. The session is named by the sender's node
 * and epoch, which the connection has authenticated and each header carries.
 */
public final class SessionLayout {
  public static final int VERSION = 1;

  public static final MessageType OPEN = new MessageType(0x0F01, "session.open");
  public static final MessageType DATA = new MessageType(0x0F02, "session.data");
  public static final MessageType ASK = new MessageType(0x0F03, "session.ask");

  static final int OPEN_BYTES = 16;
  static final int STATE_BYTES = 16;
  public static final int DATA_HEADER_BYTES = 16;
  private static final int DATA_TYPE = 12;

  static final int ACKNOWLEDGE_NOW = 1;

  private SessionLayout() {}

  static ByteBuf open(ByteBufAllocator allocator, int ownEpoch, int otherEpoch, int attempt) {
    return allocator
        .directBuffer(OPEN_BYTES)
        .writeIntLE(VERSION)
        .writeIntLE(ownEpoch)
        .writeIntLE(otherEpoch)
        .writeIntLE(attempt);
  }

  static ByteBuf ask(ByteBufAllocator allocator, int attempt) {
    return allocator.directBuffer(Integer.BYTES).writeIntLE(attempt);
  }

  static ByteBuf state(ByteBufAllocator allocator, int epoch, int attempt, long delivered) {
    return allocator
        .directBuffer(STATE_BYTES)
        .writeIntLE(epoch)
        .writeIntLE(attempt)
        .writeLongLE(delivered);
  }

  /** Type of the message that DATA carries, for traces and tests. */
  public static int dataType(ByteBuf data) {
    return data.getUnsignedShortLE(data.readerIndex() + DATA_TYPE);
  }

  static ByteBuf dataHeader(
      ByteBufAllocator allocator, long number, int attempt, int type, int flags) {
    return dataHeader(allocator, number, attempt, type, flags, 0);
  }

  /**
   * @param room for the payload behind it, in bytes
   */
  static ByteBuf dataHeader(
      ByteBufAllocator allocator, long number, int attempt, int type, int flags, int room) {
    return allocator
        .directBuffer(DATA_HEADER_BYTES + room)
        .writeLongLE(number)
        .writeIntLE(attempt)
        .writeShortLE(type)
        .writeShortLE(flags);
  }
}
