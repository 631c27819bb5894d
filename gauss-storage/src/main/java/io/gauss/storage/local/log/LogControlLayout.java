package io.gauss.storage.local.log;

import io.gauss.common.invariant.Invariant;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The stream's control file: two slots, at 0 and at 4096, written in turn and forced, so that a
 * torn write leaves the other one. The valid slot with the higher number counts.
 *
 * <pre>
 * offset size
 *  0     8   magic "GAUSSCTL"
 *  8     4   format version
 * 12     4   stream
 * 16     8   number of this write, from 1; even numbers go to slot 0, odd ones to slot 1
 * 24     4   run: how often the stream has been opened for writing
 * 28     4   epoch: writers below it are fenced
 * 32     8   durable offset when this was written
 * 40     1   1 when the stream was closed in order: nothing lies after the durable offset
 * 41    19   zero
 * 60     4   CRC32C of bytes 0 to 59
 * </pre>
 */
public final class LogControlLayout {
  public static final long MAGIC_VALUE = 0x4C54435353554147L; // "GAUSSCTL"
  public static final int VERSION_VALUE = 1;
  public static final String FILE_NAME = "control";

  public static final int MAGIC = 0;
  public static final int VERSION = MAGIC + 8;
  public static final int STREAM = VERSION + 4;
  public static final int NUMBER = STREAM + 4;
  public static final int RUN = NUMBER + 8;
  public static final int EPOCH = RUN + 4;
  public static final int DURABLE = EPOCH + 4;
  public static final int CLEAN = DURABLE + 8;
  public static final int CHECKSUM = 60;
  public static final int SLOT_BYTES = 64;
  public static final int SLOT_DISTANCE = 4096;
  public static final int FILE_BYTES = 2 * SLOT_DISTANCE;

  private LogControlLayout() {}

  static void encode(
      ByteBuffer to,
      int at,
      int stream,
      long number,
      int run,
      int epoch,
      long durable,
      boolean clean) {
    Invariant.check(to.order() == ByteOrder.LITTLE_ENDIAN, "the buffer is not little-endian");
    for (int i = 0; i < SLOT_BYTES; i += 8) {
      to.putLong(at + i, 0);
    }
    to.putLong(at + MAGIC, MAGIC_VALUE);
    to.putInt(at + VERSION, VERSION_VALUE);
    to.putInt(at + STREAM, stream);
    to.putLong(at + NUMBER, number);
    to.putInt(at + RUN, run);
    to.putInt(at + EPOCH, epoch);
    to.putLong(at + DURABLE, durable);
    to.put(at + CLEAN, (byte) (clean ? 1 : 0));
    to.putInt(at + CHECKSUM, Checksums.of(to, at, CHECKSUM));
  }

  static boolean isValid(ByteBuffer from, int at, int stream) {
    return from.getLong(at + MAGIC) == MAGIC_VALUE
        && from.getInt(at + VERSION) == VERSION_VALUE
        && from.getInt(at + STREAM) == stream
        && from.getInt(at + CHECKSUM) == Checksums.of(from, at, CHECKSUM);
  }
}
