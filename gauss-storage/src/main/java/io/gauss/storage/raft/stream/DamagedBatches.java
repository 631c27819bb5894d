package io.gauss.storage.raft.stream;

import io.gauss.common.health.Problem;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batches of this node's log that cannot be read because they are damaged. They are read from other
 * replicas until they are repaired ({@link LogRepair}), and are removed when the log up to them is
 * purged. Thread-safe.
 */
final class DamagedBatches {
  private static final Logger LOG = LoggerFactory.getLogger(DamagedBatches.class);

  /** By stream and Raft index, offset in the stream. */
  private final Map<Integer, NavigableMap<Long, Long>> found = new ConcurrentHashMap<>();

  /** Streams whose damage could not be repaired in the last attempt. */
  private final Set<Integer> stuck = ConcurrentHashMap.newKeySet();

  /** Notes that an entry cannot be read, and logs it the first time. */
  void found(int stream, long offset, long raftIndex, Exception how) {
    NavigableMap<Long, Long> of = found.computeIfAbsent(stream, s -> new ConcurrentSkipListMap<>());
    if (of.put(raftIndex, offset) == null) {
      LOG.error(
          "the log of stream {} is damaged here at offset {}, Raft index {}; other replicas are"
              + " asked for it",
          stream,
          offset,
          raftIndex,
          how);
    }
  }

  /** Raft indexes of the damaged batches of a stream that is kept from an offset on. */
  List<Long> indexes(int stream, long start) {
    return count(stream, start) == 0 ? List.of() : List.copyOf(found.get(stream).keySet());
  }

  /** Removes the damage from one Raft index to another, both included. */
  void repaired(int stream, long firstIndex, long lastIndex) {
    found
        .getOrDefault(stream, new ConcurrentSkipListMap<>())
        .subMap(firstIndex, true, lastIndex, true)
        .clear();
  }

  /** Whether there is damage to a stream, kept from an offset on, that could not be repaired. */
  boolean isStuck(int stream, long start) {
    return stuck.contains(stream) && count(stream, start) > 0;
  }

  /** Notes whether all damaged batches of a stream could be repaired now. */
  void tried(int stream, boolean isRepaired) {
    if (isRepaired) {
      stuck.remove(stream);
    } else {
      stuck.add(stream);
    }
  }

  /** Number of damaged batches of a stream that is kept from an offset on. */
  int count(int stream, long start) {
    NavigableMap<Long, Long> of = found.get(stream);
    if (of == null) {
      return 0;
    }
    of.values().removeIf(offset -> offset < start);
    return of.size();
  }

  /** Null when the stream, which is kept from an offset on, has no damage. */
  Problem problem(int stream, long start) {
    int count = count(stream, start);
    return count == 0
        ? null
        : new Problem(
            "the log of stream " + stream + " is damaged here",
            count
                + " batches, the first at offset "
                + found.get(stream).firstEntry().getValue()
                + "; they are read from other storage nodes"
                + (isStuck(stream, start)
                    ? ", none of which can repair them now; another one is to lead the stream until"
                        + " they are trimmed"
                    : ", and are about to be repaired"));
  }
}
