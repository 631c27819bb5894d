package io.gauss.storage.raft;

import java.util.concurrent.atomic.LongAdder;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;

/**
 * How much a storage node's Raft server has to do, since its start: messages that came from other
 * members, and forces of logs to disk. Heartbeats of several groups that come as one message count
 * one by one. Thread-safe.
 */
public final class RaftCounts {
  /** A kind of message. */
  public enum Kind {
    /** Entries of a log. */
    ENTRIES,
    /** A leader's message without entries: it is there, and how far the log is committed. */
    HEARTBEAT,
    /** All others, such as those of elections. */
    OTHER
  }

  private final LongAdder[] messages = new LongAdder[Kind.values().length];
  private final LongAdder forces = new LongAdder();

  public RaftCounts() {
    for (int kind = 0; kind < messages.length; kind++) {
      messages[kind] = new LongAdder();
    }
  }

  void came(AppendEntriesRequestProto request) {
    came(request.getEntriesCount() > 0 ? Kind.ENTRIES : Kind.HEARTBEAT);
  }

  void came(Kind kind) {
    messages[kind.ordinal()].increment();
  }

  void forced() {
    forces.increment();
  }

  /** Messages that came from other members. */
  public long messages(Kind kind) {
    return messages[kind.ordinal()].sum();
  }

  /** Forces of entries of all groups; those of votes and directories do not count. */
  public long forces() {
    return forces.sum();
  }
}
