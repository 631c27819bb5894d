package io.gauss.storage.raft.stream;

import java.util.HashMap;
import java.util.Map;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.RaftLogIOException;

/**
 * Looks whether a leader can read what its followers need next. Ratis tries again for ever when it
 * cannot, and a replica that was away then stays behind until the damage is repaired ({@link
 * LogRepair}) or another one leads ({@link LeadershipTransfer}).
 *
 * <p>What is looked at is what a follower waits for that has not moved since the last look, once.
 * For one thread.
 */
final class FollowerNeeds {
  /** About what Ratis sends in one message. */
  private static final long MESSAGE_BYTES = 4L << 20;

  private final DamagedBatches damaged;

  /** By stream, the indexes that its followers needed at the last look. */
  private final Map<Integer, long[]> lastNext = new HashMap<>();

  /** By stream and follower, the index from which it was looked. */
  private final Map<String, Long> looked = new HashMap<>();

  FollowerNeeds(DamagedBatches damaged) {
    this.damaged = damaged;
  }

  /** Looks at a stream that this node leads. */
  void look(StreamStateMachine machine, RaftServer.Division division) {
    long[] next = division.getInfo().getFollowerNextIndices();
    long[] before = lastNext.put(machine.stream(), next);
    if (before == null || before.length != next.length) {
      return;
    }
    RaftLog log = division.getRaftLog();
    for (int follower = 0; follower < next.length; follower++) {
      boolean waits = next[follower] == before[follower] && next[follower] < log.getNextIndex();
      Long from = next[follower];
      if (waits && !from.equals(looked.put(machine.stream() + "/" + follower, from))) {
        read(machine, log, from);
      }
    }
  }

  private void read(StreamStateMachine machine, RaftLog log, long from) {
    long bytes = 0;
    for (long at = from; at < log.getNextIndex() && bytes < MESSAGE_BYTES; at++) {
      try {
        LogEntryProto entry = log.get(at);
        if (entry == null) {
          return; // forgotten meanwhile
        }
        bytes += entry.getSerializedSize();
      } catch (RaftLogIOException e) {
        EntryIndex.Position position = machine.state().index().lastUpTo(at);
        damaged.found(
            machine.stream(),
            position == null ? machine.state().info().end() : position.offset(),
            at,
            e);
        return;
      }
    }
  }
}
