package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.common.page.OverflowPage;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.VersionHeader;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.undo.PurgeList;
import io.gauss.compute.txn.undo.PurgeNote;
import io.gauss.compute.txn.undo.UndoApplier;
import io.gauss.compute.txn.undo.UndoStep;

/**
 * Restores one leaf record to the state in an undo record, in one MTR together with the rollback's
 * progress mark.
 *
 * <p>Idempotent: a record is restored only while its undo pointer refers to exactly this undo
 * record, so that a step whose mark was lost in a crash is not done twice.
 */
final class TreeUndoApplier implements UndoApplier {
  /** Generous bound for the MTR bytes of the rollback's mark. */
  static final int STEP_BYTES = 256;

  private final Store store;

  TreeUndoApplier(Store store) {
    this.store = store;
  }

  @Override
  public boolean undo(
      EngineContext ctx, long xid, int page, int slot, byte[] record, int length, UndoStep step) {
    int space = LeafRecords.i32(record, UndoContentLayout.SPACE);
    if (!store.spaces().exists(ctx, space)) {
      return false; // dropped since, with everything in it
    }
    int keyLength = LeafRecords.u16(record, UndoContentLayout.KEY_LENGTH);
    BTree tree = store.tree(space).btree();
    StoreSession session = StoreSession.of(ctx);
    int kind = record[UndoContentLayout.KIND];
    if (kind == UndoContentLayout.KIND_OVERFLOW) {
      int number = LeafRecords.i32(record, UndoContentLayout.OVERFLOW_PAGE);
      long lsn = LeafRecords.i64(record, UndoRecordLayout.LSN);
      store.overflow().freePage(session, space, number, lsn);
      return false;
    }
    if (kind == UndoContentLayout.KIND_INSERT_RUN || kind == UndoContentLayout.KIND_INSERT_LISTED) {
      return new RunUndo(session, tree, page, slot, record, length).run(step);
    }
    while (true) {
      int growth = attempt(session, tree, xid, page, slot, record, length, step);
      if (growth <= 0) {
        return growth == DONE;
      }
      tree.makeRoom(ctx, record, UndoContentLayout.KEY, keyLength, growth, false);
    }
  }

  private static final int DONE = 0;
  private static final int NOTHING_TO_DO = -1;
  private static final int AGAIN = -2;

  /**
   * {@link #DONE}, {@link #NOTHING_TO_DO}, or the number of bytes for which the leaf has no room.
   */
  private int attempt(
      StoreSession session,
      BTree tree,
      long xid,
      int undoPage,
      int undoSlot,
      byte[] record,
      int length,
      UndoStep step) {
    long chain = restoredChain(tree.space(), record);
    int result = AGAIN;
    while (result == AGAIN) {
      PurgeNote note =
          chain == 0
              ? null
              : store.transactions().purgeListOf(xid).prepareErase(session.ctx, chain);
      try {
        step.ready();
        result = attemptOnce(session, tree, undoPage, undoSlot, record, length, step, note);
      } catch (PageAwayException e) {
        result = AGAIN;
      } finally {
        if (note != null) {
          note.close();
        }
      }
    }
    return result;
  }

  private int attemptOnce(
      StoreSession session,
      BTree tree,
      int undoPage,
      int undoSlot,
      byte[] record,
      int length,
      UndoStep step,
      PurgeNote restored) {
    EngineContext ctx = session.ctx;
    TreeCursor cursor = session.cursor;
    Mtr mtr = ctx.mtr();
    int keyLength = LeafRecords.u16(record, UndoContentLayout.KEY_LENGTH);
    try {
      mtr.beginRollback(
          Math.max(length, TreePurge.MTR_BYTES)
              + STEP_BYTES
              + LeafRecords.MTR_BYTES
              + PurgeList.NOTE_BYTES);
      tree.findLeaf(ctx, cursor, record, UndoContentLayout.KEY, keyLength, true);
      long page = cursor.guard.address();
      int slot = cursor.slot;
      if (slot < 0 || !namesRecord(TreePage.version(page, slot), undoPage, undoSlot, record)) {
        return NOTHING_TO_DO;
      }
      if (record[UndoContentLayout.KIND] == UndoContentLayout.KIND_INSERT) {
        PageRecords.remove(mtr, cursor.guard, slot, 1);
      } else {
        int oldBytes = UndoContentLayout.oldBytesLength(record, length, keyLength);
        int growth = oldBytes - LeafRecords.u16(record, UndoContentLayout.NEW_BYTES);
        if (growth > 0 && !tree.fits(page, growth)) {
          return store.purge().removeDead(mtr, cursor.guard, null) ? AGAIN : growth;
        }
        LeafRecords.restore(mtr, cursor.guard, slot, record, length);
      }
      step.append(mtr);
      if (restored != null) {
        restored.erase(mtr);
      }
      mtr.commit();
    } finally {
      cursor.guard.close();
      step.release();
      mtr.abandon();
    }
    return DONE;
  }

  /**
   * First page of the overflow chain that becomes current again, and must not be freed any more; 0
   * = there is none. The chain of the version that is undone has separate undo records.
   */
  private static long restoredChain(int space, byte[] record) {
    int flags = VersionHeader.flags(record, UndoContentLayout.OLD_VERSION);
    if (record[UndoContentLayout.KIND] != UndoContentLayout.KIND_UPDATE
        || (flags & VersionHeader.OVERFLOW) == 0) {
      return 0;
    }
    // Every update writes an overflow reference whole, see VersionedTree.
    int keyLength = LeafRecords.u16(record, UndoContentLayout.KEY_LENGTH);
    return PageId.of(space, OverflowPage.firstPage(record, UndoContentLayout.KEY + keyLength));
  }

  /** Whether a version header refers to this undo record. */
  static boolean namesRecord(long header, int page, int slot, byte[] record) {
    return VersionHeader.undoPage(header) == page
        && VersionHeader.undoSlot(header) == slot
        && VersionHeader.undoLsn(header) == LeafRecords.i64(record, UndoRecordLayout.LSN)
        && page != 0;
  }
}
