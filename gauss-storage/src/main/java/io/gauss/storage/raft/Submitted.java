package io.gauss.storage.raft;

import java.util.OptionalInt;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** What became of a command that was handed to this node's member of a group. */
public sealed interface Submitted {
  /** Committed, applied here, and this is what the state machine says to it. */
  record Applied(ByteString answer) implements Submitted {}

  /**
   * This member does not lead: the command was not taken.
   *
   * @param leader who leads as far as this member knows
   */
  record NotLeader(OptionalInt leader) implements Submitted {}

  /**
   * Nobody can tell: the member stopped leading, or stopped, while the command was on its way. It
   * may still be committed later. Whoever sent it has to ask what is there.
   */
  record Unknown(Throwable cause) implements Submitted {}

  /**
   * The member has too much under way, or is not ready yet; the command was not taken and may be
   * sent again.
   */
  record Busy(String reason) implements Submitted {}
}
