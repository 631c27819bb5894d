package io.gauss.storage.raft.stream;

import io.gauss.storage.raft.GroupLog;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Checks whether a leader can read the entries that its followers need next. If it cannot, Ratis
 * retries for ever, and a replica that was away stays behind until the damage is repaired ({@link
 * LogRepair}) or another one leads ({@link LeadershipTransfer}).
 *
 * <p>If a follower has made no progress since the last check, the entries that it waits for are
 * read once. For one thread.
 */
final class FollowerNeeds {
  /** Approximate size of a message of Ratis. */
  private static final long MESSAGE_BYTES = 4L << 20;

  private final DamagedBatches damaged;

  /** By stream, the indexes that its followers needed at the last check. */
  private final Map<Integer, long[]> lastNext = new HashMap<>();

  /** By stream and follower, the index from which entries were checked. */
  private final Map<String, Long> looked = new HashMap<>();

  FollowerNeeds(DamagedBatches damaged) {
    this.damaged = damaged;
  }

  /** Checks a stream that this node leads. */
  void look(StreamStateMachine machine, GroupLog log) {
    long[] next = log.followersNext();
    long[] before = lastNext.put(machine.stream(), next);
    if (before == null || before.length != next.length) {
      return;
    }
    for (int follower = 0; follower < next.length; follower++) {
      boolean waits = next[follower] == before[follower] && next[follower] < log.nextIndex();
      Long from = next[follower];
      if (waits && !from.equals(looked.put(machine.stream() + "/" + follower, from))) {
        read(machine, log, from);
      }
    }
  }

  private void read(StreamStateMachine machine, GroupLog log, long from) {
    long bytes = 0;
    for (long at = from; at < log.nextIndex() && bytes < MESSAGE_BYTES; at++) {
      try {
        GroupLog.Entry entry = log.entry(at);
        if (entry == null) {
          return; // purged meanwhile
        }
        bytes += entry.size();
      } catch (IOException e) {
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
