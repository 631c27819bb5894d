package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.storage.raft.SegmentMend;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.server.RaftServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mends what is damaged in this node's logs with what other replicas have of them. What none of
 * them has, because it is forgotten there or nobody can be reached, stays damaged, is tried again,
 * and keeps this node from leading the stream ({@link LeadHandOver}): a leader must be able to give
 * its followers what they lack.
 *
 * <p>For one thread, which asks others and waits for them.
 */
final class LogMend {
  private static final Logger LOG = LoggerFactory.getLogger(LogMend.class);

  private final DamagedBatches damaged;
  private final AtomicLong mended = new AtomicLong();

  LogMend(DamagedBatches damaged) {
    this.damaged = damaged;
  }

  /** Entries that were mended since the start. For any thread. */
  long mended() {
    return mended.get();
  }

  /** Mends what is known to be damaged of a stream. */
  void mend(StreamStateMachine machine, RaftServer.Division division, OtherReplicas others) {
    int stream = machine.stream();
    long start = machine.state().index().start();
    boolean all = true;
    for (long index : damaged.indexes(stream, start)) {
      // One segment may hold several of them.
      if (damaged.indexes(stream, start).contains(index)) {
        all &= mendAt(index, stream, division, others);
      }
    }
    damaged.tried(stream, all);
  }

  private boolean mendAt(
      long index, int stream, RaftServer.Division division, OtherReplicas others) {
    try {
      Optional<SegmentMend.Mended> segment =
          SegmentMend.mend(division, index, at -> others.entry(stream, at));
      segment.ifPresent(
          range -> {
            damaged.mended(stream, range.firstIndex(), range.lastIndex());
            mended.addAndGet(range.entries());
            LOG.warn(
                "the log of stream {} was damaged from Raft index {} to {}: {} entries are mended"
                    + " with what other storage nodes have",
                stream,
                range.firstIndex(),
                range.lastIndex(),
                range.entries());
          });
      return segment.isPresent();
    } catch (GaussException | IOException e) {
      LOG.debug("stream {}, Raft index {} is not mended now", stream, index, e);
      return false;
    }
  }
}
