package io.gauss.compute.node;

import io.gauss.storage.map.api.Death;
import java.util.concurrent.CompletableFuture;

/** Whoever has something from other compute nodes, that has to go when they die (rule 10). */
@FunctionalInterface
public interface DeathListener {
  /**
   * The epoch is dead: takes nothing of it any more and drops what came from it. Called again when
   * it has failed; must not block.
   *
   * @return completes when that is done; the cluster is told only then
   */
  CompletableFuture<Void> died(Death death);
}
