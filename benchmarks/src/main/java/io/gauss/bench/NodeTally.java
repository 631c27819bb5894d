package io.gauss.bench;

import java.util.Map;
import java.util.TreeMap;

/** The results of transactions on one node. Not thread-safe. */
final class NodeTally {
  private final KindStatistics[] kinds;
  private final Map<String, Long> aborts = new TreeMap<>();

  NodeTally(int kinds) {
    this.kinds = new KindStatistics[kinds];
    for (int k = 0; k < kinds; k++) {
      this.kinds[k] = new KindStatistics();
    }
  }

  void committed(int kind, long nanos) {
    kinds[kind].record(nanos);
  }

  void failed(int kind, String sqlState) {
    kinds[kind].failures++;
    aborts.merge(sqlState, 1L, Long::sum);
  }

  void add(NodeTally other) {
    for (int k = 0; k < kinds.length; k++) {
      kinds[k].add(other.kinds[k]);
    }
    other.aborts.forEach((state, count) -> aborts.merge(state, count, Long::sum));
  }

  KindStatistics kind(int kind) {
    return kinds[kind];
  }

  KindStatistics allKinds() {
    KindStatistics all = new KindStatistics();
    for (KindStatistics kind : kinds) {
      all.add(kind);
    }
    return all;
  }

  /** Failed attempts by SQLSTATE. */
  Map<String, Long> aborts() {
    return new TreeMap<>(aborts);
  }
}
