package io.gauss.storage.raft.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** Tells from entries of a stream whether one that is damaged had been durable. */
final class StreamEvidence {
  private StreamEvidence() {}

  /**
   * Every append says up to where its writer knew the stream to be durable. The damaged entry was,
   * if one behind it knows of more than what ends before the damage.
   *
   * @param before the last entry before the damage; null when none is known
   * @param behind the intact ones behind it
   */
  static boolean wasDurable(ByteString before, List<ByteString> behind) {
    StreamEntry.Append last = before == null ? null : append(before);
    for (ByteString each : behind) {
      StreamEntry.Append entry = append(each);
      if (entry != null) {
        // Without a known end before the damage: it surely had one below where the entry begins.
        boolean proven =
            last == null ? entry.durable() >= entry.offset() : entry.durable() > last.end();
        if (proven) {
          return true;
        }
      }
    }
    return false;
  }

  private static StreamEntry.Append append(ByteString bytes) {
    ByteBuffer buffer = bytes.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    return StreamEntryLayout.flaw(buffer) == null ? StreamEntryLayout.appendOrNull(buffer) : null;
  }
}
