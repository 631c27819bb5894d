package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.compute.engine.EngineContext;
import org.slf4j.LoggerFactory;

/**
 * Replaces a copy of another node's undo page that is older than the record that is wanted (rule
 * 23). Such copies may lie in the buffer pool without a right to the page, since an undo record
 * never changes: any copy that has the record is as good as the newest. Thread-safe.
 */
@FunctionalInterface
public interface UndoFetch {
  /** Where pages in the pool are always as new as what points to them. */
  UndoFetch NEVER_NEEDED =
      (ctx, pageId, lsn) -> {
        throw new GaussException(
            SqlState.DATA_CORRUPTED,
            "undo page "
                + PageId.toString(pageId)
                + " is older than record "
                + Lsn.toString(lsn)
                + " that a row names");
      };

  /**
   * As {@link #NEVER_NEEDED} for this node's own undo. A row of another node may have been read
   * from a copy that left before its log was durable; when that node has died since, the change is
   * gone with its undo, and so is the copy: who reads the row again finds what is left.
   */
  static UndoFetch ofNode(int own) {
    return (ctx, pageId, lsn) -> {
      if (Lsn.node(lsn) == own) {
        NEVER_NEEDED.fetch(ctx, pageId, lsn);
      }
      // Nothing tells this from damage but whether that node has died.
      LoggerFactory.getLogger(UndoFetch.class)
          .warn(
              "undo page {} is older than record {}, which a row of node {} names: right after that"
                  + " node's death the transaction has to be repeated, otherwise this is damage",
              PageId.toString(pageId),
              Lsn.toString(lsn),
              Lsn.node(lsn));
      throw new GaussException(
              SqlState.SERIALIZATION_FAILURE,
              "could not serialize access due to the end of compute node " + Lsn.node(lsn))
          .detail("A change that it had not made durable was read, and is gone.")
          .hint("Repeat the transaction.");
    };
  }

  /**
   * Returns when the pool has the page at this LSN or above. No latch is held; may wait.
   *
   * @param lsn of the record
   */
  void fetch(EngineContext ctx, long pageId, long lsn);
}
