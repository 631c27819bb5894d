package io.gauss.storage.raft.stream;

import java.util.ArrayList;
import java.util.List;

/**
 * The rules of a stream: which commands of its group's log take effect, and how they are answered.
 * It depends only on earlier commands, so it is the same on all replicas.
 *
 * <p>An append takes effect if its epoch is not below the stream's and it begins at the stream's
 * end. So bytes at an offset never change, and there are no gaps (rule 32).
 *
 * <p>Read by any thread through {@link #info}; changed by the one that applies entries.
 */
final class StreamState {
  /** A change of epoch, for the state at an earlier point of the log. */
  record EpochChange(long raftIndex, int epoch, int openedEpoch, long token) {}

  private final int stream;
  private final EntryIndex index = new EntryIndex();
  private final List<EpochChange> epochs = new ArrayList<>();
  private int openedEpoch;
  private long token;
  private volatile StreamInfo info = new StreamInfo(0, 0, 0, 0);

  StreamState(int stream) {
    this.stream = stream;
  }

  StreamInfo info() {
    return info;
  }

  EntryIndex index() {
    return index;
  }

  /** Carries out a command. */
  StreamAnswer apply(long raftIndex, StreamEntry entry) {
    if (entry.stream() != stream) {
      throw new IllegalStateException(
          "an entry of stream " + entry.stream() + " in the group of stream " + stream);
    }
    return switch (entry.command()) {
      case StreamEntryLayout.APPEND -> append(raftIndex, entry);
      case StreamEntryLayout.SEAL -> seal(raftIndex, entry);
      case StreamEntryLayout.OPEN -> open(raftIndex, entry);
      case StreamEntryLayout.TRIM -> trim(entry);
      default -> throw new IllegalStateException("stream command " + entry.command());
    };
  }

  private StreamAnswer append(long raftIndex, StreamEntry entry) {
    StreamInfo now = info;
    if (entry.epoch() < now.epoch()) {
      return new StreamAnswer.Fenced(now.epoch());
    }
    if (isThere(entry)) {
      return new StreamAnswer.Appended(entry.end());
    }
    if (entry.offset() != now.end()) {
      return new StreamAnswer.WrongOffset(now.end());
    }
    // Search by LSN needs them in order, regardless of the writer's values.
    long lastLsn = Math.max(now.lastLsn(), entry.lastLsn());
    index.add(entry.offset(), entry.end(), raftIndex, lastLsn, entry.identity());
    if (entry.epoch() > openedEpoch) {
      openedEpoch = entry.epoch(); // the first writer in an epoch owns it
      token = 0;
      epochs.add(new EpochChange(raftIndex, entry.epoch(), openedEpoch, token));
    }
    info = new StreamInfo(now.start(), entry.end(), lastLsn, entry.epoch());
    return new StreamAnswer.Appended(entry.end());
  }

  /**
   * Whether exactly this append has taken effect before. Replicas that have purged it may return
   * false where others return true; that changes only the answer to a late repeat, not the state.
   */
  boolean isThere(StreamEntry entry) {
    EntryIndex.Position there = index.holding(entry.offset());
    return there != null
        && there.offset() == entry.offset()
        && there.end() == entry.end()
        && there.checksum() == entry.identity();
  }

  private StreamAnswer seal(long raftIndex, StreamEntry entry) {
    if (entry.epoch() < info.epoch()) {
      return new StreamAnswer.Fenced(info.epoch());
    }
    raise(raftIndex, entry.epoch());
    return new StreamAnswer.State(info);
  }

  private StreamAnswer open(long raftIndex, StreamEntry entry) {
    boolean repeated = entry.epoch() == openedEpoch && entry.offset() == token;
    if (entry.epoch() < info.epoch() || (entry.epoch() <= openedEpoch && !repeated)) {
      return new StreamAnswer.Fenced(Math.max(info.epoch(), openedEpoch));
    }
    if (!repeated) {
      openedEpoch = entry.epoch();
      token = entry.offset();
      info = new StreamInfo(info.start(), info.end(), info.lastLsn(), entry.epoch());
      epochs.add(new EpochChange(raftIndex, entry.epoch(), openedEpoch, token));
    }
    return new StreamAnswer.State(info);
  }

  private void raise(long raftIndex, int epoch) {
    StreamInfo now = info;
    if (epoch > now.epoch()) {
      info = new StreamInfo(now.start(), now.end(), now.lastLsn(), epoch);
      epochs.add(new EpochChange(raftIndex, epoch, openedEpoch, token));
    }
  }

  private StreamAnswer trim(StreamEntry entry) {
    StreamInfo now = info;
    long start = Math.min(entry.offset(), now.end());
    if (start > now.start()) {
      info = new StreamInfo(start, now.end(), now.lastLsn(), now.epoch());
    }
    return new StreamAnswer.State(info);
  }

  // ---- snapshots

  /**
   * The Raft index up to which the log is not needed by a reader that starts at an offset; below 0
   * when all of it is. The last batch is always kept.
   */
  long dispensable(long neededFrom) {
    EntryIndex.Position last = index.holding(info.end() - 1);
    if (last == null) {
      return -1;
    }
    EntryIndex.Position first = index.holding(Math.min(neededFrom, last.offset()));
    return first == null || first.offset() == index.start() ? -1 : first.raftIndex() - 1;
  }

  /**
   * The state as it was when the entry at a Raft index was applied, at or after which is a batch.
   */
  StreamSnapshot asOf(long term, long raftIndex) {
    EntryIndex.Position last = index.lastUpTo(raftIndex);
    if (last == null) {
      throw new IllegalStateException("the log is not known at Raft index " + raftIndex);
    }
    EpochChange change = new EpochChange(0, 0, 0, 0);
    for (EpochChange each : epochs) {
      if (each.raftIndex() <= raftIndex) {
        change = each;
      }
    }
    return new StreamSnapshot(
        stream,
        term,
        raftIndex,
        Math.min(info.start(), last.end()),
        last.end(),
        last.lastLsn(),
        change.epoch(),
        change.openedEpoch(),
        change.token());
  }

  /** Restores the state of a snapshot; entries after it have to be applied again. */
  void restore(StreamSnapshot snapshot) {
    index.clear(snapshot.end(), snapshot.lastLsn());
    epochs.clear();
    openedEpoch = snapshot.openedEpoch();
    token = snapshot.token();
    epochs.add(new EpochChange(snapshot.raftIndex(), snapshot.epoch(), openedEpoch, token));
    info = new StreamInfo(snapshot.start(), snapshot.end(), snapshot.lastLsn(), snapshot.epoch());
  }

  /** Forgets the entries that a snapshot covers. */
  void forgetUpTo(long raftIndex) {
    index.forgetUpTo(raftIndex);
    int last = -1;
    for (int i = 0; i < epochs.size() && epochs.get(i).raftIndex() <= raftIndex; i++) {
      last = i;
    }
    if (last > 0) {
      epochs.subList(0, last).clear();
    }
  }
}
