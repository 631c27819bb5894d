package io.gauss.storage.raft;

import java.util.List;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** Tells from a group's entries whether damage in its log cost something that had been durable. */
@FunctionalInterface
public interface LogEvidence {
  /** For groups whose entries do not tell: the node does not start rather than lose anything. */
  LogEvidence IN_DOUBT_DURABLE = (before, behind) -> true;

  /**
   * Judges damage behind which there are whole entries.
   *
   * @param before data of the state machine's last entry before the damage, null when there is none
   *     in the segment
   * @param behind data of the whole entries behind the damage, never empty
   */
  boolean wasDurable(ByteString before, List<ByteString> behind);
}
