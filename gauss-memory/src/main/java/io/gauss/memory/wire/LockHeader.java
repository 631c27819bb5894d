package io.gauss.memory.wire;

import io.netty.buffer.ByteBuf;

/**
 * The header of messages about locks. Integers are little-endian.
 *
 * <pre>
 * 0  1  format version, 1
 * 1  1  slot of the compute node, the sender or the receiver
 * 2  2  bucket
 * 4  4  number of items that follow
 * </pre>
 */
public record LockHeader(int slot, int bucket, int count) {
  public static final int VERSION = 1;
  public static final int BYTES = 8;

  private static final int COUNT = 4;

  static ByteBuf begin(ByteBuf buffer, int slot, int bucket) {
    return buffer.writeByte(VERSION).writeByte(slot).writeShortLE(bucket).writeIntLE(0);
  }

  /** Increments the number of items. */
  static void counted(ByteBuf buffer, int start) {
    buffer.setIntLE(start + COUNT, buffer.getIntLE(start + COUNT) + 1);
  }

  /** The slot in a message that has not been read yet. */
  public static int slot(ByteBuf message) {
    return message.getUnsignedByte(message.readerIndex() + 1);
  }

  /** The bucket of a message that has not been read yet. */
  public static int bucket(ByteBuf message) {
    return message.getUnsignedShortLE(message.readerIndex() + 2);
  }

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException when it has another version
   */
  static LockHeader read(ByteBuf message) {
    int version = message.readUnsignedByte();
    if (version != VERSION) {
      throw new IllegalArgumentException("version " + version + " of a message about locks");
    }
    return new LockHeader(
        message.readUnsignedByte(), message.readUnsignedShortLE(), message.readIntLE());
  }
}
