package io.gauss.storage.raft.map;

import io.gauss.storage.map.message.MapSnapshot;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** Fetches the cluster map for a replica that fell behind what the others' logs still have. */
@FunctionalInterface
public interface MapRebuild {
  /**
   * Asks another storage node for its map. Must not block; when it fails it is tried again at the
   * leader's next try.
   *
   * @param leader who leads
   */
  CompletableFuture<MapSnapshot> fetch(OptionalInt leader);
}
