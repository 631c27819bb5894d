package io.gauss.storage.raft;

import java.nio.ByteBuffer;
import java.util.OptionalInt;

/** Outcome of a command that was submitted to this node's member of a group. */
public sealed interface Submitted {
  /** Committed and applied here, with the replica's answer, which is read-only. */
  record Applied(ByteBuffer answer) implements Submitted {}

  /**
   * This member does not lead: the command was not accepted.
   *
   * @param leader the leader, as far as this member knows
   */
  record NotLeader(OptionalInt leader) implements Submitted {}

  /**
   * Unknown: the member stopped leading, or stopped, while the command was under way. It may still
   * be committed later. The sender has to query the present state.
   */
  record Unknown(Throwable cause) implements Submitted {}

  /**
   * The member is overloaded, or not ready yet; the command was not accepted and may be repeated.
   */
  record Busy(String reason) implements Submitted {}
}
