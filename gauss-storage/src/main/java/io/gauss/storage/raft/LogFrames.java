package io.gauss.storage.raft;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * Entries in a segment of a group's log. The format is Ratis's: 8 bytes "RaftLog1", then per entry
 * its length as a varint, a {@code LogEntryProto}, and a CRC32C of both (big-endian); in a segment
 * that is being written, zeros up to the end of the file.
 */
final class LogFrames {
  static final int HEADER_BYTES = 8;

  private static final int CHECKSUM_BYTES = 4;
  private static final int MAX_VARINT_BYTES = 5;

  /** First byte of an entry: the tag of its term. */
  private static final byte ENTRY_TAG = 0x08;

  private LogFrames() {}

  /** An intact entry, and the end of its frame. */
  record Frame(int end, LogEntryProto entry) {}

  /**
   * The entry whose frame begins at a position; null when there is no intact one.
   *
   * @param bytes a segment, in an array, big-endian
   */
  static Frame at(ByteBuffer bytes, int position) {
    int at = position;
    int length = 0;
    for (int shift = 0; ; shift += 7) {
      if (at >= bytes.limit() || at - position >= MAX_VARINT_BYTES) {
        return null;
      }
      byte next = bytes.get(at++);
      length |= (next & 0x7F) << shift;
      if (next >= 0) {
        break;
      }
    }
    if (length <= 0 || length > bytes.limit() - at - CHECKSUM_BYTES || bytes.get(at) != ENTRY_TAG) {
      return null;
    }
    int end = at + length;
    if (checksum(bytes.array(), position, end - position) != bytes.getInt(end)) {
      return null;
    }
    try {
      LogEntryProto entry =
          LogEntryProto.parseFrom(bytes.duplicate().position(at).limit(end).slice());
      return new Frame(end + CHECKSUM_BYTES, entry);
    } catch (InvalidProtocolBufferException notAnEntry) {
      return null; // a checksum that matches by chance
    }
  }

  /** The frame of an entry. */
  static byte[] of(byte[] entry) {
    byte[] frame = new byte[MAX_VARINT_BYTES + entry.length + CHECKSUM_BYTES];
    ByteBuffer to = ByteBuffer.wrap(frame);
    int length = entry.length;
    while (length > 0x7F) {
      to.put((byte) (length | 0x80));
      length >>>= 7;
    }
    to.put((byte) length).put(entry);
    to.putInt(checksum(frame, 0, to.position()));
    return Arrays.copyOf(frame, to.position());
  }

  private static int checksum(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }
}
