package io.gauss.storage.raft.stream;

import io.gauss.common.health.Problem;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batches that this node's log has, but cannot read, because they are damaged. They are read from
 * other replicas, and forgotten when the log before them is. Thread-safe.
 */
final class DamagedBatches {
  private static final Logger LOG = LoggerFactory.getLogger(DamagedBatches.class);

  private final Map<Integer, NavigableSet<Long>> offsets = new ConcurrentHashMap<>();

  /** Notes that what lies at an offset cannot be read, and says so the first time. */
  void found(int stream, long offset, Exception how) {
    if (offsets.computeIfAbsent(stream, s -> new ConcurrentSkipListSet<>()).add(offset)) {
      LOG.error(
          "the log of stream {} is damaged here at offset {}; other replicas are asked for it",
          stream,
          offset,
          how);
    }
  }

  /** How many there are of a stream that is kept from an offset on. */
  int count(int stream, long start) {
    NavigableSet<Long> found = offsets.get(stream);
    if (found == null) {
      return 0;
    }
    found.headSet(start).clear();
    return found.size();
  }

  /** Null when there is none of the stream, which is kept from an offset on. */
  Problem problem(int stream, long start) {
    int count = count(stream, start);
    return count == 0
        ? null
        : new Problem(
            "the log of stream " + stream + " is damaged here",
            count
                + " batches, the first at offset "
                + offsets.get(stream).first()
                + "; they are read from other storage nodes until they are trimmed, but a replica"
                + " that is behind may need this one");
  }
}
