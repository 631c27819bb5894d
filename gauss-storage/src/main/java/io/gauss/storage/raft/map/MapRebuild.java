package io.gauss.storage.raft.map;

import io.gauss.storage.map.message.MapSnapshot;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** Fetches the cluster map for a replica that fell behind the others' logs. */
@FunctionalInterface
public interface MapRebuild {
  /**
   * Asks another storage node for its map. Must not block; a failed call is repeated at the
   * leader's next attempt.
   *
   * @param leader the leader, if known
   */
  CompletableFuture<MapSnapshot> fetch(OptionalInt leader);
}
