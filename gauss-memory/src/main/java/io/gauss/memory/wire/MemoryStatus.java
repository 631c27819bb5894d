package io.gauss.memory.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.MessageType;
import io.netty.buffer.ByteBuf;

/**
 * Status of a memory node, and the request for it. Integers are little-endian; the transport's
 * frame has the checksum.
 *
 * <pre>
 * request                     reply
 * offset size                 offset size
 *  0     2   format version    0     2   format version
 *  2     2   zero              2     2   node
 *                              4     4   buckets whose home it is
 *                              8     4   of these, not served yet: nodes have not reported
 *                             12     4   buckets that are not served for want of room
 *                             16     8   pages that the directory knows
 *                             24     8   of these, pages that a compute node has
 *                             32     8   pages that it has room for
 *                             40     8   locks that are held or requested
 * </pre>
 *
 * @param node its number
 * @param buckets whose home it is
 * @param closed of these, not served yet
 * @param shut buckets that are not served for want of room
 * @param entries pages that the directory knows
 * @param held of these, pages that a compute node has: they must have an entry
 * @param capacity pages that the directory has room for
 * @param locks that are held or requested
 */
public record MemoryStatus(
    int node,
    int buckets,
    int closed,
    int shut,
    long entries,
    long held,
    long capacity,
    long locks) {
  public static final MessageType QUESTION = new MessageType(0x0402, "memory.status");
  public static final int VERSION_VALUE = 1;

  private static final int REQUEST_BYTES = 4;
  private static final int REPLY_BYTES = 48;

  public static ByteBuf writeRequest(ByteBuf buffer) {
    return buffer.writeShortLE(VERSION_VALUE).writeShortLE(0);
  }

  /**
   * @throws GaussException 08P01 when it is none, or of another version
   */
  public static void checkRequest(ByteBuf request) {
    check(request, REQUEST_BYTES);
  }

  private static void check(ByteBuf message, int bytes) {
    if (message.readableBytes() != bytes
        || message.getUnsignedShortLE(message.readerIndex()) != VERSION_VALUE) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION,
          "not a message of a memory node's status that this version knows");
    }
  }

  public ByteBuf write(ByteBuf buffer) {
    buffer.writeShortLE(VERSION_VALUE).writeShortLE(node);
    buffer.writeIntLE(buckets).writeIntLE(closed).writeIntLE(shut);
    return buffer.writeLongLE(entries).writeLongLE(held).writeLongLE(capacity).writeLongLE(locks);
  }

  /**
   * Reads a reply; the buffer's indices are left as they are.
   *
   * @throws GaussException 08P01 when it is none, or of another version
   */
  public static MemoryStatus read(ByteBuf reply) {
    check(reply, REPLY_BYTES);
    ByteBuf from = reply.duplicate().skipBytes(2);
    return new MemoryStatus(
        from.readUnsignedShortLE(),
        from.readIntLE(),
        from.readIntLE(),
        from.readIntLE(),
        from.readLongLE(),
        from.readLongLE(),
        from.readLongLE(),
        from.readLongLE());
  }
}
