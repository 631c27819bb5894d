package io.gauss.compute.txn;

import io.gauss.compute.engine.EngineContext;

/** Reclaims deleted records of one leaf; implemented above by the owner of the record format. */
@FunctionalInterface
public interface LeafPurge {
  /**
   * Removes records of the page that are deleted and whose deletion every snapshot sees ({@link
   * PurgeHorizon#passed}). The page may have been split, merged or reused since it was noted: what
   * is there now is looked at. May wait.
   */
  void purge(EngineContext ctx, long pageId);
}
