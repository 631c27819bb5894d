package io.gauss.storage.raft.stream;

import io.gauss.storage.raft.LogPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The state of a stream at one index of its group's log: all that remains of the log up to there
 * when it is purged. It does not contain the bytes, which have been applied where they are needed.
 *
 * <pre>
 * offset size
 *  0     4   magic "GSS1"
 *  4     4   format version
 *  8     4   stream
 * 12     4   epoch
 * 16     8   Raft term
 * 24     8   Raft index
 * 32     8   start offset
 * 40     8   end offset
 * 48     8   last LSN
 * 56     4   epoch that was opened last
 * 60     4   zero
 * 64     8   token of who opened it
 * 72     4   CRC32C of bytes 0 to 71
 * </pre>
 *
 * Integers are little-endian.
 */
public record StreamSnapshot(
    int stream,
    long term,
    long raftIndex,
    long start,
    long end,
    long lastLsn,
    int epoch,
    int openedEpoch,
    long token) {
  static final int BYTES = 76;
  private static final int MAGIC = 0x31535347; // "GSS1"
  private static final int VERSION = 1;
  private static final int CHECKSUM = 72;

  LogPosition position() {
    return new LogPosition(term, raftIndex);
  }

  /** The snapshot's bytes. */
  public byte[] encode() {
    ByteBuffer to = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    to.putInt(MAGIC).putInt(VERSION).putInt(stream).putInt(epoch);
    to.putLong(term).putLong(raftIndex).putLong(start).putLong(end).putLong(lastLsn);
    to.putInt(openedEpoch).putInt(0).putLong(token);
    to.putInt(checksum(to.array()));
    return to.array();
  }

  /**
   * The snapshot of bytes.
   *
   * @throws IOException when they are not a snapshot, damaged, or of an unknown version
   */
  public static StreamSnapshot decode(byte[] bytes) throws IOException {
    ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length != BYTES || from.getInt() != MAGIC) {
      throw new IOException("not a stream snapshot");
    }
    int version = from.getInt();
    if (version != VERSION) {
      throw new IOException("stream snapshot of format version " + version);
    }
    if (from.getInt(CHECKSUM) != checksum(bytes)) {
      throw new IOException("stream snapshot does not match its checksum");
    }
    int stream = from.getInt();
    int epoch = from.getInt();
    long term = from.getLong();
    long raftIndex = from.getLong();
    long start = from.getLong();
    long end = from.getLong();
    long lastLsn = from.getLong();
    int openedEpoch = from.getInt();
    return new StreamSnapshot(
        stream,
        term,
        raftIndex,
        start,
        end,
        lastLsn,
        epoch,
        openedEpoch,
        from.getLong(from.position() + 4));
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, CHECKSUM);
    return (int) crc.getValue();
  }
}
