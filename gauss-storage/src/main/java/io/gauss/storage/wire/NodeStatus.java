package io.gauss.storage.wire;

import io.gauss.common.health.Problem;
import java.util.List;

/**
 * Status of a storage node, as reported by the node.
 *
 * @param node its number
 * @param pendingBytes records in its page store's memory that are not folded yet
 * @param freeBytes room on the disk of its data directory
 * @param replicas its replicas of streams, by stream
 * @param problems that keep it from working
 */
public record NodeStatus(
    int node, long pendingBytes, long freeBytes, List<Replica> replicas, List<Problem> problems) {
  public NodeStatus {
    replicas = List.copyOf(replicas);
    problems = List.copyOf(problems);
  }

  /**
   * A replica of a stream. Offsets are of the stream's bytes.
   *
   * @param leader leader of the stream's group as far as is known here, 0 = none
   * @param alive false once the replica has stopped because of a failure
   * @param leads whether this replica leads and may answer
   * @param members nodes with a replica
   * @param term Raft term
   * @param epoch writers below it are fenced
   * @param start lowest offset that all replicas keep
   * @param readableFrom lowest offset that this one keeps
   * @param logEnd end of the last append in the log here, whether it is on a majority or not
   * @param durable up to here the stream is on a majority, as far as is known here
   * @param lastLsn highest LSN before that
   * @param applied up to here the pages here contain the records, and can be read
   * @param checkpointed up to here they are in the pages on disk
   * @param lagNanos how long the oldest durable record that the pages have not applied has been
   *     durable here, see {@link io.gauss.storage.apply.ApplyLag}; counted from the node's start at
   *     most
   * @param holds what is kept of the log for storage nodes that have subscribed to it
   */
  public record Replica(
      int stream,
      int leader,
      boolean alive,
      boolean leads,
      List<Integer> members,
      long term,
      int epoch,
      long start,
      long readableFrom,
      long logEnd,
      long durable,
      long lastLsn,
      long applied,
      long checkpointed,
      long lagNanos,
      List<LogHold> holds) {
    public Replica {
      members = List.copyOf(members);
      holds = List.copyOf(holds);
    }
  }
}
