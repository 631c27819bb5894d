package io.gauss.compute.txn;

import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.undo.PurgeHorizon;
import io.gauss.compute.txn.undo.PurgeList;

/** Reclaims what is of no use any more; implemented above by the owner of the record format. */
public interface LeafPurge {
  LeafPurge NONE =
      new LeafPurge() {
        @Override
        public void purge(EngineContext ctx, long pageId) {
          // There are no records.
        }

        @Override
        public void giveBack(EngineContext ctx) {
          // Nobody adds to the purge list.
        }
      };

  /**
   * Removes records of the page that are deleted and whose deletion every snapshot sees ({@link
   * PurgeHorizon#passed}). The page may have been split, merged or reused since it was noted: what
   * is there now is looked at. May wait.
   */
  void purge(EngineContext ctx, long pageId);

  /**
   * Gives the pages of this node's {@link PurgeList} back that nobody can want any more. May wait.
   */
  void giveBack(EngineContext ctx);
}
