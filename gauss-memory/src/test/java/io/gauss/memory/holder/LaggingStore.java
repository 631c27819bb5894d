package io.gauss.memory.holder;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The logs of some nodes and a page store that is as far behind them as LSNs and floors allow. An
 * offset of a stream is the LSN before it.
 */
final class LaggingStore {
  private final Random random;
  private final Map<Long, List<Version>> durable = new HashMap<>();
  private final long[] ends; // of the streams' durable parts
  private final long[] sealed; // ends of streams of epochs that are over

  /** A durable version of a page. */
  private record Version(long lsn, int stream) {}

  /**
   * @param streams highest number of a stream
   */
  LaggingStore(int streams, Random random) {
    this.random = random;
    this.ends = new long[streams + 1];
    this.sealed = new long[streams + 1];
  }

  /** The stream is durable up to this change of a page. */
  void forced(int stream, long page, long lsn) {
    durable.computeIfAbsent(page, p -> new ArrayList<>()).add(new Version(lsn, stream));
    ends[stream] = lsn;
  }

  /** Nodes know the end of a sealed stream themselves. */
  void seal(int stream) {
    sealed[stream] = ends[stream];
  }

  /** End of the stream of the last epoch that is over. */
  long sealed(int stream) {
    return sealed[stream];
  }

  long end(int stream) {
    return ends[stream];
  }

  /** LSN of the newest durable version; 0 when there is none. */
  long newest(long page) {
    List<Version> versions = durable.getOrDefault(page, List.of());
    return versions.isEmpty() ? 0 : versions.getLast().lsn;
  }

  /** A version that a page store may answer with, mostly the oldest. */
  long read(long page, long lsn, Map<Integer, Long> floors) {
    List<Version> versions = durable.getOrDefault(page, List.of());
    long least = lsn;
    for (Version version : versions) {
      long floor = Math.max(floors.getOrDefault(version.stream, 0L), sealed[version.stream]);
      if (version.lsn <= floor) {
        least = Math.max(least, version.lsn);
      }
    }
    if (newest(page) < least) {
      throw new AssertionError("the store has " + newest(page) + ", wanted is " + least);
    }
    List<Long> allowed = new ArrayList<>();
    if (least == 0) {
      allowed.add(0L);
    }
    for (Version version : versions) {
      if (version.lsn >= least) {
        allowed.add(version.lsn);
      }
    }
    return allowed.get(random.nextInt(4) != 0 ? 0 : random.nextInt(allowed.size()));
  }
}
