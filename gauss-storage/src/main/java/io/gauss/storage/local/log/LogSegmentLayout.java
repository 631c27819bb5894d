package io.gauss.storage.local.log;

import io.gauss.common.invariant.Invariant;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The head of a segment file. A file without a valid head, or whose head names another sequence
 * number than the file's name, is prepared but not used yet (zeros, or a recycled file with its
 * former content).
 *
 * <pre>
 * offset size
 *    0    8   magic "GAUSSLOG"
 *    8    4   format version
 *   12    4   stream
 *   16    8   sequence number, as in the file's name
 *   24    8   base: stream offset of the first payload byte in the file
 *   32    8   LSN of the last record before the file, 0 when there is none
 *   40    8   durable offset when the head was written
 *   48    4   run of the writer
 *   52    4   epoch of the writer
 *   56    4   zero
 *   60    4   CRC32C of bytes 0 to 59
 * 4096        frames, see {@link LogBatchLayout}
 * </pre>
 */
public final class LogSegmentLayout {
  public static final long MAGIC_VALUE = 0x474F4C5353554147L; // "GAUSSLOG"
  public static final int VERSION_VALUE = 1;

  public static final int MAGIC = 0;
  public static final int VERSION = MAGIC + 8;
  public static final int STREAM = VERSION + 4;
  public static final int SEQUENCE = STREAM + 4;
  public static final int BASE = SEQUENCE + 8;
  public static final int PREVIOUS_LSN = BASE + 8;
  public static final int DURABLE = PREVIOUS_LSN + 8;
  public static final int RUN = DURABLE + 8;
  public static final int EPOCH = RUN + 4;
  public static final int RESERVED = EPOCH + 4;
  public static final int CHECKSUM = RESERVED + 4;
  public static final int HEAD_BYTES = CHECKSUM + 4;

  /** Where frames start: a block of its own for the head. */
  public static final int FRAMES = 4096;

  private static final String PREFIX = "segment-";
  private static final String SUFFIX = ".log";

  private LogSegmentLayout() {}

  static String fileName(long sequence) {
    return String.format("%s%016x%s", PREFIX, sequence, SUFFIX);
  }

  /** The sequence number in a segment file's name, -1 when it is not a segment's name. */
  static long sequenceOf(String fileName) {
    if (!fileName.startsWith(PREFIX)
        || !fileName.endsWith(SUFFIX)
        || fileName.length() != PREFIX.length() + 16 + SUFFIX.length()) {
      return -1;
    }
    return Long.parseUnsignedLong(fileName, PREFIX.length(), PREFIX.length() + 16, 16);
  }

  static void encode(
      ByteBuffer to,
      int at,
      int stream,
      long sequence,
      long base,
      long previousLsn,
      long durable,
      int run,
      int epoch) {
    Invariant.check(to.order() == ByteOrder.LITTLE_ENDIAN, "the buffer is not little-endian");
    to.putLong(at + MAGIC, MAGIC_VALUE);
    to.putInt(at + VERSION, VERSION_VALUE);
    to.putInt(at + STREAM, stream);
    to.putLong(at + SEQUENCE, sequence);
    to.putLong(at + BASE, base);
    to.putLong(at + PREVIOUS_LSN, previousLsn);
    to.putLong(at + DURABLE, durable);
    to.putInt(at + RUN, run);
    to.putInt(at + EPOCH, epoch);
    to.putInt(at + RESERVED, 0);
    to.putInt(at + CHECKSUM, Checksums.of(to, at, CHECKSUM));
  }

  static boolean isValid(ByteBuffer from, int at, int stream, long sequence) {
    return from.getLong(at + MAGIC) == MAGIC_VALUE
        && from.getInt(at + VERSION) == VERSION_VALUE
        && from.getInt(at + STREAM) == stream
        && from.getLong(at + SEQUENCE) == sequence
        && from.getInt(at + CHECKSUM) == Checksums.of(from, at, CHECKSUM);
  }
}
