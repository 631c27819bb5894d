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
  /** What is neither in the index nor only ever rises, for the state at an earlier point. */
  private record Change(
      long raftIndex, int epoch, int openedEpoch, long token, Subscriptions subscriptions) {}

  private final int stream;
  private final EntryIndex index = new EntryIndex();
  private final List<Change> changes = new ArrayList<>();
  private int openedEpoch;
  private long token;
  private volatile StreamInfo info = new StreamInfo(0, 0, 0, 0);
  private volatile Subscriptions subscriptions = Subscriptions.NONE;

  StreamState(int stream) {
    this.stream = stream;
  }

  StreamInfo info() {
    return info;
  }

  EntryIndex index() {
    return index;
  }

  Subscriptions subscriptions() {
    return subscriptions;
  }

  /** Carries out a command. */
  StreamAnswer apply(long raftIndex, StreamEntry entry) {
    if (entry.stream() != stream) {
      throw new IllegalStateException(
          "an entry of stream " + entry.stream() + " in the group of stream " + stream);
    }
    return switch (entry) {
      case StreamEntry.Append append -> append(raftIndex, append);
      case StreamEntry.Seal seal -> seal(raftIndex, seal);
      case StreamEntry.Open open -> open(raftIndex, open);
      case StreamEntry.Trim trim -> trim(trim);
      case StreamEntry.AboutNode about -> subscription(raftIndex, about);
    };
  }

  private StreamAnswer append(long raftIndex, StreamEntry.Append entry) {
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
      changed(raftIndex, entry.epoch());
    }
    info = new StreamInfo(now.start(), entry.end(), lastLsn, entry.epoch());
    return new StreamAnswer.Appended(entry.end());
  }

  /**
   * Whether exactly this append has taken effect before. Replicas that have purged it may return
   * false where others return true; that changes only the answer to a late repeat, not the state.
   */
  boolean isThere(StreamEntry.Append entry) {
    EntryIndex.Position there = index.holding(entry.offset());
    return there != null
        && there.offset() == entry.offset()
        && there.end() == entry.end()
        && there.checksum() == entry.identity();
  }

  private StreamAnswer seal(long raftIndex, StreamEntry.Seal entry) {
    if (entry.epoch() < info.epoch()) {
      return new StreamAnswer.Fenced(info.epoch());
    }
    raise(raftIndex, entry.epoch());
    return new StreamAnswer.State(info);
  }

  private StreamAnswer open(long raftIndex, StreamEntry.Open entry) {
    boolean repeated = entry.epoch() == openedEpoch && entry.token() == token;
    if (entry.epoch() < info.epoch() || (entry.epoch() <= openedEpoch && !repeated)) {
      return new StreamAnswer.Fenced(Math.max(info.epoch(), openedEpoch));
    }
    if (!repeated) {
      openedEpoch = entry.epoch();
      token = entry.token();
      info = new StreamInfo(info.start(), info.end(), info.lastLsn(), entry.epoch());
      changed(raftIndex, entry.epoch());
    }
    return new StreamAnswer.State(info);
  }

  private void raise(long raftIndex, int epoch) {
    StreamInfo now = info;
    if (epoch > now.epoch()) {
      info = new StreamInfo(now.start(), now.end(), now.lastLsn(), epoch);
      changed(raftIndex, epoch);
    }
  }

  private void changed(long raftIndex, int epoch) {
    changes.add(new Change(raftIndex, epoch, openedEpoch, token, subscriptions));
  }

  /** As far as nobody needs it who has subscribed (rule 44). */
  private StreamAnswer trim(StreamEntry.Trim entry) {
    StreamInfo now = info;
    long start = Math.min(Math.min(entry.offset(), now.end()), subscriptions.lowest());
    if (start > now.start()) {
      info = new StreamInfo(start, now.end(), now.lastLsn(), now.epoch());
    }
    return new StreamAnswer.State(info);
  }

  private StreamAnswer subscription(long raftIndex, StreamEntry.AboutNode entry) {
    int node = entry.node();
    long tenure = entry.tenure();
    Subscriptions before = subscriptions;
    Subscriptions after =
        switch (entry) {
          case StreamEntry.Subscribe subscribe ->
              before.subscribed(node, tenure, subscribe.offset(), info.start());
          case StreamEntry.Raise raise ->
              before.raised(node, tenure, Math.min(raise.offset(), info.end()));
          case StreamEntry.Unsubscribe unsubscribe -> before.ended(node, tenure);
        };
    if (after != before) {
      subscriptions = after;
      changed(raftIndex, info.epoch());
    }
    return StreamAnswer.Subscribed.of(info.start(), after.of(node));
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
    Change change = new Change(0, 0, 0, 0, Subscriptions.NONE);
    for (Change each : changes) {
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
        change.token(),
        change.subscriptions());
  }

  /** Restores the state of a snapshot; entries after it have to be applied again. */
  void restore(StreamSnapshot snapshot) {
    index.clear(snapshot.end(), snapshot.lastLsn());
    changes.clear();
    openedEpoch = snapshot.openedEpoch();
    token = snapshot.token();
    subscriptions = snapshot.subscriptions();
    changed(snapshot.raftIndex(), snapshot.epoch());
    info = new StreamInfo(snapshot.start(), snapshot.end(), snapshot.lastLsn(), snapshot.epoch());
  }

  /** Forgets the entries that a snapshot covers. */
  void forgetUpTo(long raftIndex) {
    index.forgetUpTo(raftIndex);
    int last = -1;
    for (int i = 0; i < changes.size() && changes.get(i).raftIndex() <= raftIndex; i++) {
      last = i;
    }
    if (last > 0) {
      changes.subList(0, last).clear();
    }
  }
}
