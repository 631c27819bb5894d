package io.gauss.compute.txn.undo;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.compute.mtr.EngineContext;

/**
 * Replaces a copy of another node's undo page that is older than the wanted record (rule 23). Such
 * copies may lie in the buffer pool without a right to the page, since an undo record never
 * changes: any copy that has the record is as good as the newest. Thread-safe.
 */
public interface UndoFetch {
  /** For pools whose pages are always as new as the pointers to them. */
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
   * As {@link #NEVER_NEEDED} for this node's own undo. A record that another node's row refers to
   * and its undo does not have is {@linkplain LostChangeException lost} with that node.
   */
  static UndoFetch ofNode(int own) {
    return new UndoFetch() {
      @Override
      public void fetch(EngineContext ctx, long pageId, long lsn) {
        if (Lsn.node(lsn) == own) {
          NEVER_NEEDED.fetch(ctx, pageId, lsn);
        }
        throw LostChangeException.notThere(pageId, lsn);
      }

      @Override
      public GaussException overwritten(long pageId, int slot, long lsn) {
        return Lsn.node(lsn) == own
            ? UndoFetch.super.overwritten(pageId, slot, lsn)
            : LostChangeException.overwritten(pageId, slot, lsn);
      }
    };
  }

  /**
   * Returns when the pool has the page at this LSN or a higher one. No latch is held; may wait.
   *
   * @param lsn of the record
   */
  void fetch(EngineContext ctx, long pageId, long lsn);

  /**
   * The error for a record in whose place the page has another one: 72000. If another node wrote
   * the record, that node may have died and come back since, and what is there now belongs to its
   * next life; then the record is {@linkplain LostChangeException lost}.
   */
  default GaussException overwritten(long pageId, int slot, long lsn) {
    return new GaussException(SqlState.SNAPSHOT_TOO_OLD, LostChangeException.TOO_OLD)
        .detail(LostChangeException.wasOverwritten(pageId, slot, lsn));
  }
}
