package io.gauss.bench.cost;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a node itself has counted until a point in time.
 *
 * @param nanos the time, by {@link System#nanoTime}
 * @param meters counts by the names that docs/operations.md lists
 */
record NodeCounts(long nanos, Map<String, Long> meters) {
  static final String SENT = "gaussTransportMessages.direction.sent.type.";
  static final String RAFT = "gaussRaftMessages.type.";
  static final String TRANSFERS = "gaussPagesTransfers.direction.in.what.";
  static final String LOG_FORCES = "gaussLogForces";
  static final String RAFT_FORCES = "gaussRaftForces";
  static final String FORWARDED = "gaussReroutesForwarded";

  /** With these the names of what is counted begin, whatever tags follow. */
  static final List<String> NAMES =
      List.of(
          "gaussTransportMessages.",
          "gaussRaftMessages.",
          "gaussPagesTransfers.",
          LOG_FORCES,
          RAFT_FORCES,
          FORWARDED);

  private static final List<String> COUNTED_WITH_ITS_TAGS = List.of(SENT, RAFT, TRANSFERS);
  private static final List<String> COUNTED = List.of(LOG_FORCES, RAFT_FORCES, FORWARDED);

  /** Before the names of Raft's messages. */
  private static final String OF_RAFT = "raft.";

  /** Each is answered by one that is not counted. */
  private static final int WITH_ANSWER = 2;

  /**
   * The same as rates, each a second.
   *
   * @param messages that the node sent to others, by type; of Raft those that came and their
   *     answers
   * @param logForces to disk
   * @param pageTransfers pages that came from other compute nodes
   * @param forwarded transactions that were forwarded to another node
   */
  record Rates(
      Map<String, Double> messages, double logForces, double pageTransfers, double forwarded) {}

  /** Whether a meter of this name is one of those that are counted. */
  static boolean isCounted(String name) {
    return COUNTED.contains(name) || COUNTED_WITH_ITS_TAGS.stream().anyMatch(name::startsWith);
  }

  /** What was counted since an earlier look at the same node. */
  Rates since(NodeCounts before) {
    Map<String, Double> messages = new TreeMap<>();
    double forces = 0;
    double transfers = 0;
    double forwarded = 0;
    for (Map.Entry<String, Long> meter : meters.entrySet()) {
      String name = meter.getKey();
      double rate =
          (meter.getValue() - before.meters.getOrDefault(name, 0L)) * 1e9 / (nanos - before.nanos);
      if (name.startsWith(SENT)) {
        messages.put(name.substring(SENT.length()), rate);
      } else if (name.startsWith(RAFT)) {
        messages.put(OF_RAFT + name.substring(RAFT.length()), WITH_ANSWER * rate);
      } else if (name.startsWith(TRANSFERS)) {
        transfers += rate;
      } else if (name.equals(LOG_FORCES) || name.equals(RAFT_FORCES)) {
        forces += rate;
      } else if (name.equals(FORWARDED)) {
        forwarded += rate;
      }
    }
    return new Rates(messages, forces, transfers, forwarded);
  }
}
