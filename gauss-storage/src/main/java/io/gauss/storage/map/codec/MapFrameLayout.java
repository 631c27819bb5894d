package io.gauss.storage.map.codec;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The frame around everything of the cluster map that is stored or sent. Little-endian.
 *
 * <pre>
 * offset size
 *  0     4   magic "GMAP"
 *  4     2   format version: 2, or 3 for a payload that has to do with slices
 *  6     2   kind, see {@link Kind}
 *  8     4   n = length of the payload
 * 12     n   payload
 * 12+n   4   CRC32C of bytes 0 to 11+n
 * </pre>
 */
public final class MapFrameLayout {
  public static final int MAGIC_VALUE = 0x50414D47; // "GMAP"
  public static final int VERSION_VALUE = 2;

  /**
   * The version of a map with a list of slices, and of commands that concern it. A build that does
   * not know slices refuses them by name; what has no slices stays what it can read.
   */
  public static final int WITH_SLICES = 3;

  public static final int MAGIC = 0;
  public static final int VERSION = MAGIC + 4;
  public static final int KIND = VERSION + 2;
  public static final int LENGTH = KIND + 2;
  public static final int PAYLOAD = LENGTH + 4;
  public static final int CHECKSUM_BYTES = 4;

  /** The kind of payload. */
  enum Kind {
    MAP(1),
    COMMAND(2),
    RESULT(3),
    REQUEST(4),
    ANSWER(5),
    SNAPSHOT(6);

    private final int id;

    Kind(int id) {
      this.id = id;
    }
  }

  private MapFrameLayout() {}

  static byte[] wrap(Kind kind, MapWriter payload) {
    int length = payload.size();
    ByteBuffer frame =
        ByteBuffer.allocate(PAYLOAD + length + CHECKSUM_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(MAGIC_VALUE).putShort((short) payload.version()).putShort((short) kind.id);
    frame.putInt(length);
    payload.copyTo(frame);
    frame.putInt(checksum(frame.array(), PAYLOAD + length));
    return frame.array();
  }

  /**
   * The payload of a frame.
   *
   * @throws GaussException 0A000 for a version that this build does not know, XX001 for bytes that
   *     are not a whole frame of this kind
   */
  static MapReader unwrap(Kind kind, byte[] bytes) {
    ByteBuffer frame = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < PAYLOAD + CHECKSUM_BYTES || frame.getInt(MAGIC) != MAGIC_VALUE) {
      throw damaged(kind, "it is no frame of the cluster map");
    }
    int version = Short.toUnsignedInt(frame.getShort(VERSION));
    if (version < VERSION_VALUE || version > WITH_SLICES) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "cluster map format version %d; this build knows %d to %d"
              .formatted(version, VERSION_VALUE, WITH_SLICES));
    }
    int length = frame.getInt(LENGTH);
    if (length != bytes.length - PAYLOAD - CHECKSUM_BYTES) {
      throw damaged(kind, "it is cut off");
    }
    if (frame.getInt(PAYLOAD + length) != checksum(bytes, PAYLOAD + length)) {
      throw damaged(kind, "its checksum does not match");
    }
    if (frame.getShort(KIND) != kind.id) {
      throw damaged(kind, "it is of kind " + frame.getShort(KIND));
    }
    return new MapReader(version, Arrays.copyOfRange(bytes, PAYLOAD, PAYLOAD + length));
  }

  static GaussException damaged(Kind kind, String why) {
    return new GaussException(
        SqlState.DATA_CORRUPTED, "cluster map " + kind + " cannot be read: " + why);
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
