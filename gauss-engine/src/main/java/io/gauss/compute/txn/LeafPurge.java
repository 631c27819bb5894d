package io.gauss.compute.txn;

import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.undo.PurgeHorizon;
import io.gauss.compute.txn.undo.PurgeList;

/** Reclaims garbage; implemented above by the owner of the record format. */
public interface LeafPurge {
  LeafPurge NONE =
      new LeafPurge() {
        @Override
        public void purge(EngineContext ctx, long pageId) {
          // There are no records.
        }

        @Override
        public long leafOf(EngineContext ctx, byte[] deletion) {
          return 0;
        }

        @Override
        public void giveBack(EngineContext ctx) {
          // The purge list gets no entries.
        }
      };

  /**
   * Removes records of the page that are deleted and whose deletion every snapshot sees ({@link
   * PurgeHorizon#passed}). The page may have been split, merged or reused since it was noted: its
   * present content counts. May wait.
   */
  void purge(EngineContext ctx, long pageId);

  /**
   * The leaf that has the record whose deletion an undo record describes, if it is still deleted;
   * else 0. May wait.
   */
  long leafOf(EngineContext ctx, byte[] deletion);

  /**
   * Gives back the pages of this node's {@link PurgeList} that can no longer be needed. May wait.
   */
  void giveBack(EngineContext ctx);
}
