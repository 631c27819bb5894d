package io.gauss.compute.store;

import io.gauss.common.error.GaussException;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.VersionHeader;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.LockWaits;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Visibility;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.txn.undo.PurgeList;
import io.gauss.compute.txn.undo.PurgeNote;

/** Inserts single rows into a {@link VersionedTree}. */
final class RowInsert {
  private final VersionedTree rows;
  private final BTree tree;

  RowInsert(VersionedTree rows, BTree tree) {
    this.rows = rows;
    this.tree = tree;
  }

  /** As {@link VersionedTree#insert}, of a row that goes into a leaf with these flags. */
  Outcome insert(
      Transaction txn,
      StoreSession session,
      byte[] key,
      int keyOffset,
      int keyLength,
      int flags,
      byte[] row,
      int rowOffset,
      int rowLength,
      RowVersion conflict) {
    InsertAttempt attempt = new InsertAttempt();
    while (true) {
      try {
        tryInsert(
            txn, session, key, keyOffset, keyLength, flags, row, rowOffset, rowLength, conflict,
            attempt);
      } catch (PageAwayException e) {
        continue; // as for changes
      }
      tree.completeNoticed(session.ctx, session.cursor);
      if (attempt.outcome == Outcome.DUPLICATE && conflict != null) {
        rows.newest().fetchOverflow(session, attempt.overflow, conflict);
      }
      if (attempt.outcome != null) {
        return attempt.outcome;
      }
      if (attempt.crowded) {
        rows.separate(txn, key, keyOffset, keyLength);
      } else if (attempt.waitFor != 0) {
        rows.store()
            .transactions()
            .lockWaits()
            .await(
                txn,
                attempt.waitFor,
                LockWaits.row(tree.space(), key, keyOffset, keyLength),
                WaitPolicy.WAIT);
      } else if (attempt.seenDeleted != 0) {
        checkNotSeen(txn, key, keyOffset, keyLength);
        attempt.cleared = attempt.seenDeleted;
      } else if (attempt.bytes > 0) {
        tree.makeRoom(session.ctx, key, keyOffset, keyLength, attempt.bytes, !attempt.overDeleted);
      }
    }
  }

  /** The result of one attempt to insert, and what to do before the next. */
  private static final class InsertAttempt {
    Outcome outcome;
    boolean overflow;
    long waitFor;
    int bytes;
    boolean overDeleted;
    boolean crowded;

    /** LSN of the undo record of a delete below which the snapshot may see a row. */
    long seenDeleted;

    /** The same where it does not. */
    long cleared;
  }

  private void tryInsert(
      Transaction txn,
      StoreSession session,
      byte[] key,
      int keyOffset,
      int keyLength,
      int flags,
      byte[] row,
      int rowOffset,
      int rowLength,
      RowVersion conflict,
      InsertAttempt attempt) {
    TreeCursor cursor = session.cursor;
    Mtr mtr = session.ctx.mtr();
    int space = tree.space();
    attempt.waitFor = 0;
    attempt.bytes = 0;
    attempt.crowded = false;
    attempt.seenDeleted = 0;
    PurgeNote note = session.note(rows.store());
    // A new key needs none; if the attempt finds a deleted record under the same key, it requests
    // room.
    int oldBytesMax = session.oldBytesRoom(0);
    try {
      txn.prepareUndo(LeafRecords.UNDO_BYTES + keyLength + oldBytesMax);
      mtr.begin(
          Math.max(
              TreePurge.MTR_BYTES,
              LeafRecords.MTR_BYTES
                  + PurgeList.NOTE_BYTES
                  + 2 * keyLength
                  + rowLength
                  + oldBytesMax));
      tree.findLeafAt(
          session.ctx, cursor, session.insertLeaf(space), key, keyOffset, keyLength, true);
      if (rows.isContended(txn, cursor)) {
        attempt.crowded = true;
        return;
      }
      long page = cursor.guard.address();
      int slot = cursor.slot;
      int missing;
      if (slot >= 0) {
        long header = TreePage.version(page, slot);
        if (mustWait(txn, header)) {
          attempt.waitFor = VersionHeader.xid(header);
          return;
        }
        if (!VersionHeader.isDeleted(header)) {
          actOn(txn, header);
          attempt.outcome = Outcome.DUPLICATE;
          attempt.overflow = VersionHeader.isOverflow(header);
          if (conflict != null) {
            conflict.copyRecord(page, cursor.guard.pageId(), slot);
          }
          return;
        }
        if (mayHideRow(txn, header) && VersionHeader.undoLsn(header) != attempt.cleared) {
          attempt.seenDeleted = VersionHeader.undoLsn(header);
          return;
        }
        attempt.overDeleted = true;
        missing =
            rows.change(
                txn,
                session,
                oldBytesMax,
                UndoContentLayout.KIND_UPDATE,
                key,
                keyOffset,
                keyLength,
                flags | rows.reusedBy(header),
                row,
                rowOffset,
                rowLength,
                null,
                note);
      } else {
        attempt.overDeleted = false;
        int bytes = LeafRecords.bytes(page, keyLength, rowLength);
        missing = tree.fits(page, bytes) ? 0 : bytes;
        if (missing == 0) {
          LeafRecords.insert(
              txn,
              cursor.guard,
              ~slot,
              key,
              keyOffset,
              keyLength,
              flags,
              row,
              rowOffset,
              rowLength);
        }
      }
      if (missing == VersionedTree.AGAIN) {
        return;
      }
      if (missing > 0) {
        attempt.bytes = rows.store().purge().removeDead(mtr, cursor.guard, null) ? 0 : missing;
        return;
      }
      mtr.commit();
      attempt.outcome = Outcome.OK;
      boolean ascending = PageView.insertRun(page) > 0;
      session.insertLeaf(space, ascending ? cursor.guard.pageId() : 0);
    } finally {
      cursor.guard.close();
      txn.releaseUndo();
      mtr.abandon();
      if (note != null) {
        note.close();
      }
    }
  }

  /**
   * Whether a transaction with one snapshot for all its statements inserts over a delete that it
   * may not see: there is one record per key, so its own row would hide the one that it does see.
   */
  private boolean mayHideRow(Transaction txn, long header) {
    return txn.isolation() == Transaction.IsolationLevel.REPEATABLE_READ
        && txn.hasSnapshot()
        && !NewestReader.isOwn(txn, VersionHeader.xid(header))
        && !rows.transactions().horizon().passed(VersionHeader.xid(header));
  }

  /**
   * @throws GaussException 40001 when the transaction's snapshot sees a row under the key
   */
  private void checkNotSeen(Transaction txn, byte[] key, int offset, int length) {
    if (rows.get(txn, txn.snapshot(), key, offset, length, new RowVersion())) {
      throw NewestReader.changedConcurrently("update");
    }
  }

  /** The answer says that the key is taken: it waits for the commit that has taken it. */
  private void actOn(Transaction txn, long header) {
    Visibility visibility = rows.transactions().visibility();
    long xid = VersionHeader.xid(header);
    if (VersionHeader.isLockedOnly(header)) {
      visibility.actOnLocked(txn, xid, VersionHeader.undoLsn(header));
    } else {
      visibility.actOn(txn, xid);
    }
  }

  /**
   * Whether it depends on another active transaction if there is a live row; not so if that one
   * merely locks it.
   */
  private boolean mustWait(Transaction txn, long header) {
    long writer = VersionHeader.xid(header);
    return !NewestReader.isOwn(txn, writer)
        && !VersionHeader.isLockedOnly(header)
        && rows.store().transactions().states().mayBeActive(txn, writer);
  }
}
