package io.gauss.storage.raft.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** Decides from entries of a stream whether a damaged one had been durable. */
final class StreamEvidence {
  private StreamEvidence() {}

  /**
   * Every append contains the offset up to which its writer knew the stream to be durable. The
   * damaged entry was durable if a later one has a durable offset above the end of the entries
   * before the damage.
   *
   * @param before the last entry before the damage; null when none is known
   * @param behind the intact ones after it
   */
  static boolean wasDurable(ByteString before, List<ByteString> behind) {
    StreamEntry last = before == null ? null : append(before);
    for (ByteString each : behind) {
      StreamEntry entry = append(each);
      if (entry != null) {
        // Without a known end before the damage: that end was certainly below the offset of this
        // entry.
        boolean proven =
            last == null ? entry.durable() >= entry.offset() : entry.durable() > last.end();
        if (proven) {
          return true;
        }
      }
    }
    return false;
  }

  private static StreamEntry append(ByteString bytes) {
    ByteBuffer buffer = bytes.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    if (StreamEntryLayout.flaw(buffer) != null) {
      return null;
    }
    StreamEntry entry = new StreamEntry(buffer);
    return entry.command() == StreamEntryLayout.APPEND ? entry : null;
  }
}
