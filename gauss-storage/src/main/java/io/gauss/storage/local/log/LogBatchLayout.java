package io.gauss.storage.local.log;

import io.gauss.common.invariant.Invariant;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The frame around one appended batch in a segment file.
 *
 * <pre>
 * offset size
 *  0     4   magic "GLB1"
 *  4     1   format version
 *  5     3   zero
 *  8     4   stream
 * 12     4   epoch of the writer
 * 16     4   run: how often the stream had been opened for writing
 * 20     4   length of the payload in bytes, above 0
 * 24     8   stream offset of the payload's first byte
 * 32     8   durable offset: the stream offset up to which everything had been forced when this frame was written
 * 40     8   LSN of the first record
 * 48     8   LSN of the last record
 * 56     4   CRC32C of bytes 0 to 55
 * 60     4   CRC32C of bytes 0 to 59 and the payload
 * 64         payload: whole MTRs; zero bytes up to a multiple of 8
 * </pre>
 *
 * Integers are little-endian. Frames start at multiples of 8. The header has a checksum of its own
 * so that the durable offset in it is evidence even when the payload is torn.
 */
public final class LogBatchLayout {
  public static final int MAGIC_VALUE = 0x31424C47; // "GLB1"
  public static final int VERSION_VALUE = 1;
  public static final int ALIGNMENT = 8;

  public static final int MAGIC = 0;
  public static final int VERSION = MAGIC + 4;
  public static final int RESERVED = VERSION + 1;
  public static final int STREAM = RESERVED + 3;
  public static final int EPOCH = STREAM + 4;
  public static final int RUN = EPOCH + 4;
  public static final int LENGTH = RUN + 4;
  public static final int OFFSET = LENGTH + 4;
  public static final int DURABLE = OFFSET + 8;
  public static final int FIRST_LSN = DURABLE + 8;
  public static final int LAST_LSN = FIRST_LSN + 8;
  public static final int HEADER_CHECKSUM = LAST_LSN + 8;
  public static final int CHECKSUM = HEADER_CHECKSUM + 4;
  public static final int HEADER_BYTES = CHECKSUM + 4;

  private LogBatchLayout() {}

  /** Bytes that a frame takes in the file, padding included. */
  static long frameBytes(int payloadBytes) {
    return ((long) HEADER_BYTES + payloadBytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /**
   * Writes the header at {@code at}; the position and limit of {@code payload} are left as they
   * are.
   *
   * @param crc scratch, reset here
   */
  static void encodeHeader(
      ByteBuffer to,
      int at,
      int stream,
      int epoch,
      int run,
      long offset,
      long durable,
      long firstLsn,
      long lastLsn,
      ByteBuffer payload,
      CRC32C crc) {
    Invariant.check(to.order() == ByteOrder.LITTLE_ENDIAN, "the buffer is not little-endian");
    to.putInt(at + MAGIC, MAGIC_VALUE);
    to.putInt(at + VERSION, VERSION_VALUE);
    to.putInt(at + STREAM, stream);
    to.putInt(at + EPOCH, epoch);
    to.putInt(at + RUN, run);
    to.putInt(at + LENGTH, payload.remaining());
    to.putLong(at + OFFSET, offset);
    to.putLong(at + DURABLE, durable);
    to.putLong(at + FIRST_LSN, firstLsn);
    to.putLong(at + LAST_LSN, lastLsn);
    crc.reset();
    Checksums.update(crc, to, at, HEADER_CHECKSUM);
    to.putInt(at + HEADER_CHECKSUM, (int) crc.getValue());
    Checksums.update(crc, to, at + HEADER_CHECKSUM, 4);
    Checksums.update(crc, payload, payload.position(), payload.remaining());
    to.putInt(at + CHECKSUM, (int) crc.getValue());
  }

  /** Whether 64 bytes at {@code at} are an intact header of a version that this code reads. */
  static boolean headerIsValid(ByteBuffer from, int at, CRC32C crc) {
    if (from.getInt(at + MAGIC) != MAGIC_VALUE || from.getInt(at + LENGTH) <= 0) {
      return false;
    }
    crc.reset();
    Checksums.update(crc, from, at, HEADER_CHECKSUM);
    return (int) crc.getValue() == from.getInt(at + HEADER_CHECKSUM)
        && (from.get(at + VERSION) & 0xFF) == VERSION_VALUE;
  }

  /** Whether the payload, all of which lies in the buffer, matches its checksum. */
  static boolean payloadIsValid(ByteBuffer from, int at, CRC32C crc) {
    crc.reset();
    Checksums.update(crc, from, at, CHECKSUM);
    Checksums.update(crc, from, at + HEADER_BYTES, from.getInt(at + LENGTH));
    return (int) crc.getValue() == from.getInt(at + CHECKSUM);
  }
}
