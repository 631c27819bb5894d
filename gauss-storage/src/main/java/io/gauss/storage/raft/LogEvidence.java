package io.gauss.storage.raft;

import java.util.List;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/**
 * Decides from a group's entries whether damage in its log destroyed entries that had been durable.
 */
@FunctionalInterface
public interface LogEvidence {
  /** For groups whose entries give no evidence: the node does not start rather than lose data. */
  LogEvidence IN_DOUBT_DURABLE = (before, behind) -> true;

  /**
   * Judges damage that is followed by whole entries.
   *
   * @param before data of the state machine's last entry before the damage, null when there is none
   *     in the segment
   * @param behind data of the whole entries after the damage, never empty
   */
  boolean wasDurable(ByteString before, List<ByteString> behind);
}
