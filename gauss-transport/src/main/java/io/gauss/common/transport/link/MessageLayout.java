package io.gauss.common.transport.link;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A message between nodes: a header and its payload.
 *
 * <pre>
 * offset size
 *  0     4   length of the whole message in bytes, this field included
 *  4     4   CRC32C of bytes 8 to the end
 *  8     1   protocol version, as agreed in the hello; 0 during the hello
 *  9     1   kind (MessageKind)
 * 10     2   message type of the layer above, 0 = none
 * 12     2   flags: 1 = the message has an authentication code; all others zero
 * 14     2   node that sent it
 * 16     4   epoch of that node
 * 20     4   microseconds until the caller's deadline, counted from sending; 0 = none
 * 24     8   request id, chosen by the caller, unique on its connection; 0 = none
 * 32     8   sender's clock (LSN)
 * 40     4   argument by kind: credit in bytes
 * 44     4   zero
 * 48         payload
 * </pre>
 *
 * After the hello, a message on a connection that is not encrypted has an authentication code of 16
 * bytes at 48 ({@link FrameMac}), and its payload at 64.
 *
 * <p>Integers are little-endian. A deadline is sent as the remaining time, since clocks of two
 * machines cannot be compared.
 */
public final class MessageLayout {
  /** Lowest and highest protocol version that this code speaks. */
  public static final int LOWEST_VERSION = 2;

  public static final int HIGHEST_VERSION = 2;
  public static final int HELLO_VERSION = 0;

  public static final int LENGTH = 0;
  public static final int CHECKSUM = LENGTH + 4;
  public static final int VERSION = CHECKSUM + 4;
  public static final int KIND = VERSION + 1;
  public static final int TYPE = KIND + 1;
  public static final int FLAGS = TYPE + 2;
  public static final int NODE = FLAGS + 2;
  public static final int EPOCH = NODE + 2;
  public static final int REMAINING = EPOCH + 4;
  public static final int REQUEST_ID = REMAINING + 4;
  public static final int CLOCK = REQUEST_ID + 8;
  public static final int ARGUMENT = CLOCK + 8;
  public static final int ZERO = ARGUMENT + 4;
  public static final int HEADER_BYTES = ZERO + 4;

  /** Where an authenticated message has its code. */
  static final int MAC = HEADER_BYTES;

  /** Header of an authenticated message. */
  public static final int AUTHENTICATED_HEADER_BYTES = MAC + FrameMac.BYTES;

  /** Flag: the message has an authentication code. */
  static final int AUTHENTICATED = 1;

  private MessageLayout() {}

  /**
   * Writes header and checksum.
   *
   * @param to with room for {@link #headerBytes}
   * @param payload bytes that follow; unchanged
   * @param crc scratch
   * @param mac authenticates the message; null = it is not authenticated
   */
  public static void encode(
      MessageHeader header, ByteBuf to, ByteBuf payload, CRC32C crc, FrameMac mac) {
    int start = to.writerIndex();
    int headerBytes = headerBytes(mac);
    header.flags = mac == null ? 0 : AUTHENTICATED;
    to.writeIntLE(headerBytes + payload.readableBytes());
    to.writeIntLE(0);
    to.writeByte(header.version);
    to.writeByte(header.kind);
    to.writeShortLE(header.type);
    to.writeShortLE(header.flags);
    to.writeShortLE(header.node);
    to.writeIntLE(header.epoch);
    to.writeIntLE(header.remainingMicros);
    to.writeLongLE(header.requestId);
    to.writeLongLE(header.clock);
    to.writeIntLE(header.argument);
    to.writeIntLE(0);
    if (mac != null) {
      to.writeZero(FrameMac.BYTES);
      mac.sign(to, start, payload);
    }
    crc.reset();
    crc.update(to.internalNioBuffer(start + VERSION, headerBytes - VERSION));
    update(crc, payload, payload.readerIndex(), payload.readableBytes());
    to.setIntLE(start + CHECKSUM, (int) crc.getValue());
  }

  /** Bytes before the payload. */
  public static int headerBytes(FrameMac mac) {
    return mac == null ? HEADER_BYTES : AUTHENTICATED_HEADER_BYTES;
  }

  /** Reads the header at {@code start}; the bytes are present and their checksum was verified. */
  public static void decode(ByteBuf from, int start, MessageHeader header) {
    header.version = from.getUnsignedByte(start + VERSION);
    header.kind = from.getUnsignedByte(start + KIND);
    header.type = from.getUnsignedShortLE(start + TYPE);
    header.flags = from.getUnsignedShortLE(start + FLAGS);
    header.node = from.getUnsignedShortLE(start + NODE);
    header.epoch = from.getIntLE(start + EPOCH);
    header.remainingMicros = from.getIntLE(start + REMAINING);
    header.requestId = from.getLongLE(start + REQUEST_ID);
    header.clock = from.getLongLE(start + CLOCK);
    header.argument = from.getIntLE(start + ARGUMENT);
  }

  /** True when the message of {@code length} bytes at {@code start} has its checksum. */
  public static boolean verify(ByteBuf from, int start, int length, CRC32C crc) {
    crc.reset();
    update(crc, from, start + VERSION, length - VERSION);
    return from.getIntLE(start + CHECKSUM) == (int) crc.getValue();
  }

  /**
   * Whether the message comes from the other side, and is the next one that it has sent. Its
   * checksum was verified.
   *
   * @param mac null = messages are not authenticated
   */
  public static boolean authentic(ByteBuf from, int start, int length, FrameMac mac) {
    boolean hasCode = (from.getUnsignedShortLE(start + FLAGS) & AUTHENTICATED) != 0;
    return mac == null ? !hasCode : hasCode && mac.verify(from, start, length);
  }

  private static void update(CRC32C crc, ByteBuf bytes, int index, int length) {
    if (length == 0) {
      return;
    }
    // Not internalNioBuffer: slices of one buffer share it, and other threads may use those.
    if (bytes.nioBufferCount() == 1) {
      crc.update(bytes.nioBuffer(index, length));
    } else {
      for (ByteBuffer part : bytes.nioBuffers(index, length)) {
        crc.update(part);
      }
    }
  }
}
