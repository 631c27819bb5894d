package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.storage.raft.GroupLog;
import io.gauss.storage.raft.SegmentRepair;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs damaged entries in this node's logs with the entries of other replicas. An entry that
 * none of them can provide, because it is purged there or no node can be reached, stays damaged. It
 * is retried, and keeps this node from leading the stream ({@link LeadershipTransfer}): a leader
 * must be able to send its followers the entries that they lack.
 *
 * <p>For one thread, which queries other nodes and waits for them.
 */
final class LogRepair {
  private static final Logger LOG = LoggerFactory.getLogger(LogRepair.class);

  private final DamagedBatches damaged;
  private final AtomicLong repaired = new AtomicLong();

  LogRepair(DamagedBatches damaged) {
    this.damaged = damaged;
  }

  /** Entries that were repaired since the start. For any thread. */
  long repaired() {
    return repaired.get();
  }

  /** Repairs the known damage of a stream. */
  void repair(StreamStateMachine machine, GroupLog log, OtherReplicas others) {
    int stream = machine.stream();
    long start = machine.state().index().start();
    boolean all = true;
    for (long index : damaged.indexes(stream, start)) {
      // One segment may hold several of them.
      if (damaged.indexes(stream, start).contains(index)) {
        all &= repairAt(index, stream, log, others);
      }
    }
    damaged.tried(stream, all);
  }

  private boolean repairAt(long index, int stream, GroupLog log, OtherReplicas others) {
    try {
      Optional<SegmentRepair.Repaired> segment = log.repair(index, at -> others.entry(stream, at));
      segment.ifPresent(
          range -> {
            damaged.repaired(stream, range.firstIndex(), range.lastIndex());
            repaired.addAndGet(range.entries());
            LOG.warn(
                "the log of stream {} was damaged from Raft index {} to {}: {} entries are repaired"
                    + " with what other storage nodes have",
                stream,
                range.firstIndex(),
                range.lastIndex(),
                range.entries());
          });
      return segment.isPresent();
    } catch (GaussException | IOException e) {
      LOG.debug("stream {}, Raft index {} is not repaired now", stream, index, e);
      return false;
    }
  }
}
