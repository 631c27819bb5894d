package io.gauss.storage.raft.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A command to a stream, in the form of the Raft log. The client creates it, and it is not changed
 * on its way to the disks and from there to readers.
 *
 * <pre>
 * offset size
 *  0     4   magic "GSE1"
 *  4     1   format version
 *  5     1   command: 1 append, 2 seal, 3 open, 4 trim
 *  6     2   zero
 *  8     4   stream
 * 12     4   epoch
 * 16     8   append: stream offset of the payload's first byte; trim: the offset; open: the
 *            opener's token; seal: zero
 * 24     8   append: LSN of the first record, else zero
 * 32     8   append: LSN of the last record, else zero
 * 40     8   append: offset up to which the writer knew the stream to be durable, else zero. When an
 *            entry before it is damaged, this tells that it had been durable
 * 48     4   length of the payload in bytes; above 0 for an append, else 0
 * 52     4   CRC32C of bytes 0 to 51 and the payload
 * 56         payload: whole MTRs
 * </pre>
 *
 * Integers are little-endian.
 */
public final class StreamEntryLayout {
  public static final int MAGIC_VALUE = 0x31455347; // "GSE1"
  public static final int VERSION_VALUE = 1;

  public static final int MAGIC = 0;
  public static final int VERSION = MAGIC + 4;
  public static final int COMMAND = VERSION + 1;
  public static final int RESERVED = COMMAND + 1;
  public static final int STREAM = RESERVED + 2;
  public static final int EPOCH = STREAM + 4;
  public static final int OFFSET = EPOCH + 4;
  public static final int FIRST_LSN = OFFSET + 8;
  public static final int LAST_LSN = FIRST_LSN + 8;
  public static final int DURABLE = LAST_LSN + 8;
  public static final int LENGTH = DURABLE + 8;
  public static final int CHECKSUM = LENGTH + 4;
  public static final int HEADER_BYTES = CHECKSUM + 4;

  public static final int APPEND = 1;
  public static final int SEAL = 2;
  public static final int OPEN = 3;
  public static final int TRIM = 4;

  private StreamEntryLayout() {}

  /** An entry that appends the remaining bytes of {@code payload}, whose position stays. */
  public static byte[] append(
      int stream,
      int epoch,
      long offset,
      long firstLsn,
      long lastLsn,
      long durable,
      ByteBuffer payload) {
    byte[] entry = new byte[HEADER_BYTES + payload.remaining()];
    payload.get(payload.position(), entry, HEADER_BYTES, payload.remaining());
    ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN).putLong(DURABLE, durable);
    return finish(entry, APPEND, stream, epoch, offset, firstLsn, lastLsn);
  }

  /** An entry of a command without payload. */
  public static byte[] command(int command, int stream, int epoch, long offset) {
    return finish(new byte[HEADER_BYTES], command, stream, epoch, offset, 0, 0);
  }

  private static byte[] finish(
      byte[] entry, int command, int stream, int epoch, long offset, long firstLsn, long lastLsn) {
    ByteBuffer to = ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN);
    to.putInt(MAGIC, MAGIC_VALUE);
    to.put(VERSION, (byte) VERSION_VALUE);
    to.put(COMMAND, (byte) command);
    to.putInt(STREAM, stream);
    to.putInt(EPOCH, epoch);
    to.putLong(OFFSET, offset);
    to.putLong(FIRST_LSN, firstLsn);
    to.putLong(LAST_LSN, lastLsn);
    to.putInt(LENGTH, entry.length - HEADER_BYTES);
    to.putInt(CHECKSUM, checksum(to));
    return entry;
  }

  private static int checksum(ByteBuffer entry) {
    CRC32C crc = new CRC32C();
    crc.update(entry.duplicate().position(0).limit(CHECKSUM));
    crc.update(entry.duplicate().position(HEADER_BYTES));
    return (int) crc.getValue();
  }

  /**
   * The defect of an entry; null when it is valid.
   *
   * @param entry from position 0, little-endian
   */
  static String flaw(ByteBuffer entry) {
    if (entry.limit() < HEADER_BYTES) {
      return "is cut off after " + entry.limit() + " bytes";
    }
    if (entry.getInt(MAGIC) != MAGIC_VALUE) {
      return "is no stream entry";
    }
    if (entry.get(VERSION) != VERSION_VALUE) {
      return "has format version " + (entry.get(VERSION) & 0xFF) + ", which is not known here";
    }
    if (entry.getInt(LENGTH) != entry.limit() - HEADER_BYTES) {
      return "names a length of " + entry.getInt(LENGTH) + ", not " + entry.limit();
    }
    if (entry.getInt(CHECKSUM) != checksum(entry)) {
      return "does not match its checksum";
    }
    return null;
  }
}
