package io.gauss.storage.map.api;

import java.util.List;

/**
 * The Raft group that holds the streams of a slot.
 *
 * @param replicas storage nodes, ascending
 * @param preferredLeader the replica that should lead, near the compute node
 * @param founders the replicas with which the group began, ascending; they never change. Only they
 *     may create the group: all others join an existing one
 */
public record StreamGroup(
    int slot, List<Integer> replicas, int preferredLeader, List<Integer> founders) {
  public StreamGroup {
    replicas = List.copyOf(replicas);
    founders = List.copyOf(founders);
  }

  /** A new group. */
  public static StreamGroup founded(int slot, List<Integer> replicas, int preferredLeader) {
    return new StreamGroup(slot, replicas, preferredLeader, replicas);
  }

  /** The same group on other replicas. */
  public StreamGroup movedTo(List<Integer> newReplicas, int newLeader) {
    return new StreamGroup(slot, newReplicas, newLeader, founders);
  }
}
