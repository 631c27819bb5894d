package io.gauss.storage.raft.stream;

import io.gauss.storage.raft.LogPosition;
import io.gauss.storage.raft.stream.Subscriptions.Subscription;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The state of a stream at one index of its group's log: all that remains of the log up to there
 * when it is purged. It does not contain the bytes, which have been applied where they are needed.
 *
 * <pre>
 * offset size
 *  0     4   magic "GSS1"
 *  4     4   format version: 1, or 2 with subscriptions
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
 * 72         with subscriptions: their number (4), and for each, ascending by node:
 *            storage node (4), tenure (8), offset (8)
 *       4   CRC32C of all bytes before
 * </pre>
 *
 * Integers are little-endian. Without subscriptions it is as version 1 has always been, so that
 * builds which do not know them read it.
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
    long token,
    Subscriptions subscriptions) {
  private static final int MAGIC = 0x31535347; // "GSS1"
  private static final int VERSION = 1;
  private static final int SUBSCRIPTIONS_VERSION = 2;
  private static final int FIXED_BYTES = 72;
  private static final int CHECKSUM_BYTES = 4;
  private static final int SUBSCRIPTION_BYTES = 20;

  LogPosition position() {
    return new LogPosition(term, raftIndex);
  }

  /** The snapshot's bytes. */
  public byte[] encode() {
    List<Subscription> all = subscriptions.all();
    int rest = all.isEmpty() ? 0 : Integer.BYTES + all.size() * SUBSCRIPTION_BYTES;
    ByteBuffer to =
        ByteBuffer.allocate(FIXED_BYTES + rest + CHECKSUM_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    to.putInt(MAGIC).putInt(all.isEmpty() ? VERSION : SUBSCRIPTIONS_VERSION);
    to.putInt(stream).putInt(epoch);
    to.putLong(term).putLong(raftIndex).putLong(start).putLong(end).putLong(lastLsn);
    to.putInt(openedEpoch).putInt(0).putLong(token);
    if (!all.isEmpty()) {
      to.putInt(all.size());
      all.forEach(each -> to.putInt(each.node()).putLong(each.tenure()).putLong(each.from()));
    }
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
    if (bytes.length < FIXED_BYTES + CHECKSUM_BYTES || from.getInt() != MAGIC) {
      throw new IOException("not a stream snapshot");
    }
    int version = from.getInt();
    if (version != VERSION && version != SUBSCRIPTIONS_VERSION) {
      throw new IOException("stream snapshot of format version " + version);
    }
    if (from.getInt(bytes.length - CHECKSUM_BYTES) != checksum(bytes)) {
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
    long token = from.getLong(from.position() + Integer.BYTES);
    from.position(FIXED_BYTES);
    return new StreamSnapshot(
        stream,
        term,
        raftIndex,
        start,
        end,
        lastLsn,
        epoch,
        openedEpoch,
        token,
        subscriptions(from, version == VERSION ? 0 : from.getInt()));
  }

  private static Subscriptions subscriptions(ByteBuffer from, int count) throws IOException {
    if (from.remaining() - CHECKSUM_BYTES != (long) count * SUBSCRIPTION_BYTES) {
      throw new IOException("stream snapshot of a wrong length");
    }
    List<Subscription> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(new Subscription(from.getInt(), from.getLong(), from.getLong()));
    }
    return new Subscriptions(all);
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length - CHECKSUM_BYTES);
    return (int) crc.getValue();
  }
}
