package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.redo.MtrLayout;
import io.gauss.storage.raft.GroupLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a replica's batches from the Raft log. Entries in the index have been applied and so are
 * committed; nothing read here can be revoked. Thread-safe; may read a segment file.
 */
final class StreamReads {
  private static final Logger LOG = LoggerFactory.getLogger(StreamReads.class);

  /** Maximum number of Raft's own entries after the last append. */
  private static final int LOOK_BACK = 64;

  private final int stream;
  private final StreamState state;
  private final GroupLog log;

  StreamReads(int stream, StreamState state, GroupLog log) {
    this.stream = stream;
    this.state = state;
    this.log = log;
  }

  /**
   * The batch that holds the byte at an offset, from there on; null at the end.
   *
   * @param from start of an MTR
   * @throws GaussException 55000 when this replica has forgotten it; XX001 when it is damaged
   */
  StreamAnswer.Batch at(long from) {
    EntryIndex.Position position = state.index().holding(from);
    if (position == null) {
      if (from < state.index().start()) {
        throw forgotten(stream, from, state.index().start());
      }
      return null;
    }
    StreamEntry.Append entry = entry(position);
    ByteBuffer payload = entry.payload();
    int skip = (int) (from - position.offset());
    long firstLsn = skip == 0 ? entry.firstLsn() : payload.getLong(skip + MtrLayout.BASE_LSN);
    ByteBuffer bytes =
        payload.slice(skip, payload.remaining() - skip).order(ByteOrder.LITTLE_ENDIAN);
    return new StreamAnswer.Batch(from, firstLsn, entry.lastLsn(), bytes);
  }

  /**
   * Batches from an offset on, up to about this many bytes; at least one when there is one. They
   * end before a damaged one.
   *
   * @throws GaussException as {@link #at}, about the first of them
   */
  List<StreamAnswer.Batch> from(long from, int maxBytes) {
    List<StreamAnswer.Batch> batches = new ArrayList<>();
    int bytes = 0;
    StreamAnswer.Batch next = at(from);
    while (next != null) {
      batches.add(next);
      bytes += next.bytes().remaining();
      next = bytes < maxBytes ? following(next) : null;
    }
    return batches;
  }

  /**
   * This replica's copy of an entry of the Raft log, for a replica on which it is damaged; empty
   * when it is not known here to be committed, or was purged.
   *
   * @throws GaussException XX001 when it is damaged here as well
   */
  Optional<byte[]> entry(long raftIndex) {
    if (raftIndex > log.committedIndex()) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(log.entry(raftIndex)).map(entry -> entry.bytes().get());
    } catch (IOException e) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "log corrupted: stream " + stream + ", Raft index " + raftIndex + ": " + e.getMessage(),
          e);
    }
  }

  /**
   * End of the last append in the log, applied or not.
   *
   * @param applied Raft index up to which entries are applied
   */
  long logEnd(long applied) {
    long durable = state.info().end();
    long last = log.nextIndex() - 1;
    for (long index = last; index > Math.max(applied, last - LOOK_BACK); index--) {
      StreamEntry.Append entry = unapplied(index);
      if (entry != null) {
        return Math.max(durable, entry.end());
      }
    }
    return durable;
  }

  /** An append that may not be committed yet; null when there is none there. */
  private StreamEntry.Append unapplied(long index) {
    try {
      GroupLog.Entry entry = log.entry(index);
      if (entry != null && entry.command() != null) {
        ByteBuffer bytes = entry.command().order(ByteOrder.LITTLE_ENDIAN);
        return StreamEntryLayout.flaw(bytes) == null ? StreamEntryLayout.appendOrNull(bytes) : null;
      }
    } catch (IOException e) {
      LOG.debug("stream {}: Raft index {} cannot be read now", stream, index, e);
    }
    return null;
  }

  private StreamAnswer.Batch following(StreamAnswer.Batch batch) {
    try {
      return at(batch.end());
    } catch (GaussException e) {
      LOG.debug("who reads on at offset {} hears of it", batch.end(), e);
      return null;
    }
  }

  private StreamEntry.Append entry(EntryIndex.Position position) {
    GroupLog.Entry entry;
    try {
      entry = log.entry(position.raftIndex());
    } catch (IOException e) {
      throw damaged(position, e.getMessage(), e);
    }
    if (entry == null) {
      // Purged between the two accesses to the index.
      throw forgotten(stream, position.offset(), state.index().start());
    }
    ByteBuffer bytes = entry.command().order(ByteOrder.LITTLE_ENDIAN);
    String flaw = StreamEntryLayout.flaw(bytes);
    if (flaw != null) {
      throw damaged(position, "the entry " + flaw, null);
    }
    return new StreamEntry.Append(bytes);
  }

  private GaussException damaged(EntryIndex.Position position, String why, Throwable cause) {
    return new GaussException(
        SqlState.DATA_CORRUPTED,
        "log corrupted: stream "
            + stream
            + ", offset "
            + position.offset()
            + ", Raft index "
            + position.raftIndex()
            + ": "
            + why,
        cause);
  }

  /** Some or all of the records at or above an LSN were purged. */
  static GaussException forgottenLsn(int stream, long lsn, long start) {
    return new GaussException(
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "the records of stream "
            + stream
            + " from LSN "
            + Lsn.toString(lsn)
            + " on were trimmed; it starts at offset "
            + start);
  }

  static GaussException forgotten(int stream, long offset, long start) {
    return new GaussException(
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "offset " + offset + " of stream " + stream + " was trimmed; it starts at " + start);
  }
}
