package io.gauss.compute.store;

import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.undo.UndoStep;
import java.util.Arrays;

/**
 * Removes the rows of one undo record of several inserts, leaf by leaf, one MTR each. The last MTR
 * also has the rollback's mark, so after a crash before it the record is undone again, for the
 * remaining rows: those whose version headers refer to it. For one use.
 */
final class RunUndo {
  private static final int LENGTH_BYTES = 2;

  private final StoreSession session;
  private final BTree tree;
  private final int undoPage;
  private final int undoSlot;
  private final byte[] record;
  private final int length;
  private final boolean listed;

  // A run: where in the record its highest key is. Listed rows: where the next key's length is.
  private int at;

  // Key by which the next leaf is searched, null when there is no more.
  private byte[] key;

  RunUndo(StoreSession session, BTree tree, int undoPage, int undoSlot, byte[] record, int length) {
    this.session = session;
    this.tree = tree;
    this.undoPage = undoPage;
    this.undoSlot = undoSlot;
    this.record = record;
    this.length = length;
    listed = record[UndoContentLayout.KIND] == UndoContentLayout.KIND_INSERT_LISTED;
    at = UndoContentLayout.KEY + LeafRecords.u16(record, UndoContentLayout.KEY_LENGTH);
    key = listed ? listedKey() : Arrays.copyOfRange(record, UndoContentLayout.KEY, at);
  }

  /** As {@link io.gauss.compute.txn.undo.UndoApplier#undo}: false when the step was not logged. */
  boolean run(UndoStep step) {
    TreeCursor cursor = session.cursor;
    Mtr mtr = session.ctx.mtr();
    while (true) {
      int atBefore = at;
      byte[] keyBefore = key;
      step.ready();
      try {
        mtr.beginRollback(TreePurge.MTR_BYTES + TreeUndoApplier.STEP_BYTES);
        tree.findLeaf(session.ctx, cursor, key, 0, key.length, true);
        boolean removed = listed ? removeListed(mtr, cursor) : removeRun(mtr, cursor);
        boolean isLast = key == null;
        if (isLast && removed) {
          step.append(mtr);
        }
        if (removed) {
          mtr.commit();
        }
        if (isLast) {
          return removed;
        }
      } catch (PageAwayException e) {
        at = atBefore;
        key = keyBefore;
      } finally {
        cursor.guard.close();
        step.release();
        mtr.abandon();
      }
    }
  }

  /** Adds the removal of the run's rows on the leaf, from the cursor's slot on. */
  private boolean removeRun(Mtr mtr, TreeCursor cursor) {
    long page = cursor.guard.address();
    int count = PageView.slotCount(page);
    boolean removed = false;
    for (int i = cursor.slot >= 0 ? cursor.slot : ~cursor.slot; i < count; i++) {
      if (TreePage.compareKey(page, i, record, at, length - at) > 0) {
        break;
      }
      removed = remove(mtr, cursor, i, removed);
    }
    if (removed) {
      mtr.endRecord();
    }
    key = null;
    if (TreePage.isRightOf(page, record, at, length - at)) {
      key = new byte[TreePage.highLength(page)];
      TreePage.copyHigh(page, key, 0);
    }
    return removed;
  }

  /** Adds the removal of listed rows that are on the leaf, from the key on. */
  private boolean removeListed(Mtr mtr, TreeCursor cursor) {
    long page = cursor.guard.address();
    int slot = cursor.slot;
    boolean removed = false;
    do {
      if (slot >= 0) {
        removed = remove(mtr, cursor, slot, removed);
      }
      at += LENGTH_BYTES + key.length;
      key = at < length ? listedKey() : null;
      slot = key == null ? -1 : TreePage.find(page, key, 0, key.length);
    } while (key != null && !TreePage.isRightOf(page, key, 0, key.length));
    if (removed) {
      mtr.endRecord();
    }
    return removed;
  }

  private byte[] listedKey() {
    int start = at + LENGTH_BYTES;
    return Arrays.copyOfRange(record, start, start + LeafRecords.u16(record, at));
  }

  /** Adds a slot to those to be removed if its record belongs to the undo record. */
  private boolean remove(Mtr mtr, TreeCursor cursor, int slot, boolean any) {
    long header = TreePage.version(cursor.guard.address(), slot);
    if (!TreeUndoApplier.namesRecord(header, undoPage, undoSlot, record)) {
      return any;
    }
    if (!any) {
      mtr.startRecord(cursor.guard, RedoType.REMOVE_MANY);
    }
    mtr.putShort(slot);
    return true;
  }
}
