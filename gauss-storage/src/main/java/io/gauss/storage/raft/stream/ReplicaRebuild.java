package io.gauss.storage.raft.stream;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * Brings a replica back that fell behind what the other replicas still have of the log: fetches
 * what the forgotten entries did (the pages) and says up to where.
 */
@FunctionalInterface
public interface ReplicaRebuild {
  /**
   * Rebuilds this replica. Called on a thread of Ratis; must not block.
   *
   * @param stream the stream whose group fell behind
   * @param leader who leads
   * @param firstAvailable lowest Raft index that the leader still has
   * @return the state of the stream at a Raft index of {@code firstAvailable - 1} or above, once
   *     this replica durably holds what the log up to there did; empty when the leader has the log
   *     from its beginning, so that nothing is needed (a leader asks every new member to begin
   *     with). When it fails, it is tried again at the leader's next try.
   */
  CompletableFuture<Optional<StreamSnapshot>> rebuild(
      int stream, OptionalInt leader, long firstAvailable);
}
