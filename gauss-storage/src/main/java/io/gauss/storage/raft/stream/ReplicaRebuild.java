package io.gauss.storage.raft.stream;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * Rebuilds a replica that fell behind the other replicas' logs: fetches the effects of the purged
 * entries (the pages) and returns the state up to which they reach.
 */
@FunctionalInterface
public interface ReplicaRebuild {
  /**
   * Rebuilds this replica. Called on a thread of Ratis; must not block.
   *
   * @param stream the stream whose group fell behind
   * @param leader the leader, if known
   * @param firstAvailable lowest Raft index that the leader still has
   * @return the state of the stream at a Raft index of {@code firstAvailable - 1} or above, once
   *     this replica durably holds the effects of the log up to there; empty when the leader has
   *     the log from its beginning, so that nothing is needed (a leader first asks this of every
   *     new member). A failed rebuild is repeated at the leader's next attempt.
   */
  CompletableFuture<Optional<StreamSnapshot>> rebuild(
      int stream, OptionalInt leader, long firstAvailable);
}
