package io.gauss.storage.map.api;

import java.util.List;

/**
 * The Raft group that holds the streams of a slot.
 *
 * @param replicas storage nodes, ascending
 * @param preferredLeader the replica that should lead, near the compute node
 */
public record StreamGroup(int slot, List<Integer> replicas, int preferredLeader) {
  public StreamGroup {
    replicas = List.copyOf(replicas);
  }
}
