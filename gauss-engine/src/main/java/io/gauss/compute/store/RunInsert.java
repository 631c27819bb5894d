package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.LeafAppend;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.Transaction;

/**
 * Inserts runs of rows leaf by leaf: one descent, one latch, one mini-transaction for all rows of
 * the run that belong to a leaf and fit it. Their undo is one record to which all of their version
 * headers refer, and which has the lowest and the highest of their keys. When there are few rows
 * for each leaf, an undo record that lists the keys of many rows comes before them ({@link
 * ListedUndo}).
 *
 * <p>Rows that go behind all others of a full leaf are put on a fresh leaf behind it, in the same
 * MTR as the cut, so that rows in ascending order leave full leaves and are logged once. All other
 * obstacles (a record with the row's key, whose writer may have to be waited for; a full leaf; a
 * row that overflows) are left to the insert of single rows, and the run continues after that row.
 *
 * <p>As there, an attempt either changes nothing or is complete. Stateless; thread-safe.
 */
final class RunInsert {
  /**
   * Upper bound of an MTR's bytes besides keys of the run: a leaf's rows, and the cut of another.
   */
  private static final int MTR_BYTES =
      PageLayout.PAGE_BYTES + LeafRecords.MTR_BYTES + LeafAppend.MTR_BYTES;

  /** With fewer rows per leaf than this, and this many more to come, keys are listed. */
  private static final int SCATTERED_ROWS = 3;

  private static final int LISTED_ROWS = 4;

  // Results of an attempt; others are the number of rows that it inserted.
  private static final int SINGLE = 0;
  private static final int AGAIN = -1;

  private final VersionedTree rows;
  private final BTree tree;

  RunInsert(VersionedTree rows, BTree tree) {
    this.rows = rows;
    this.tree = tree;
  }

  /** See {@link VersionedTree#insert(Transaction, RowRun)}. */
  boolean insert(Transaction txn, RowRun run) {
    StoreSession session = StoreSession.of(txn.context());
    LeafPlan plan = session.leafPlan;
    ListedUndo list = session.listedUndo;
    run.sort();
    list.stop();
    int at = 0;
    boolean append = false;
    while (at < run.count()) {
      int done;
      try {
        done =
            append
                ? appendLeaf(txn, session, run, at, plan)
                : fillLeaf(txn, session, run, at, plan);
      } catch (PageAwayException e) {
        continue; // with another fresh leaf, or with the undo page retained
      }
      tree.completeNoticed(session.ctx, session.cursor);
      append = plan.endsFull;
      if (done == SINGLE && !append) {
        if (!insertOne(txn, run, at)) {
          return false;
        }
        done = 1;
      }
      at += Math.max(0, done);
      list.reached(at);
      boolean scattered = done > 0 && done < SCATTERED_ROWS;
      if (scattered && !append && !list.isInUse() && run.count() - at >= LISTED_ROWS) {
        list.start(txn, tree.space(), run, at);
      }
    }
    return true;
  }

  private boolean insertOne(Transaction txn, RowRun run, int at) {
    Outcome outcome =
        rows.insert(
            txn,
            run.bytes(),
            run.keyStart(at),
            run.keyLength(at),
            run.bytes(),
            run.rowStart(at),
            run.rowLength(at),
            null);
    return outcome == Outcome.OK;
  }

  /** Puts rows from a position on into the leaf of the first of them. */
  private int fillLeaf(Transaction txn, StoreSession session, RowRun run, int from, LeafPlan plan) {
    TreeCursor cursor = session.cursor;
    Mtr mtr = session.ctx.mtr();
    plan.endsFull = false;
    prepareUndo(txn, session, run);
    try {
      mtr.begin(MTR_BYTES + 2 * run.longestKey());
      findLeaf(session, run, from);
      TransferCauses.note(rows.store(), txn, session.cursor);
      if (cursor.slot >= 0) {
        return SINGLE;
      }
      long page = cursor.guard.address();
      plan.choose(tree, page, ~cursor.slot, run, from, session.listedUndo.limit(run));
      if (plan.count > 0) {
        int prefix = TreePage.prefixLength(page);
        LeafRecords.insertRun(txn, cursor.guard, prefix, run, from, plan, session.listedUndo);
        mtr.commit();
        boolean ascending = PageView.insertRun(page) > 0;
        session.insertLeaf(tree.space(), ascending ? cursor.guard.pageId() : 0);
      }
      return plan.count;
    } finally {
      cursor.guard.close();
      txn.releaseUndo();
      mtr.abandon();
    }
  }

  /** Puts rows from a position on onto a fresh leaf behind the one that their keys lead to. */
  private int appendLeaf(
      Transaction txn, StoreSession session, RowRun run, int from, LeafPlan plan) {
    TreeCursor cursor = session.cursor;
    Mtr mtr = session.ctx.mtr();
    plan.endsFull = false;
    long left;
    int result = AGAIN;
    int fresh = LeafAppend.reserve(tree, session.ctx);
    try {
      prepareUndo(txn, session, run);
      mtr.begin(MTR_BYTES + 2 * run.longestKey());
      findLeaf(session, run, from);
      TransferCauses.note(rows.store(), txn, session.cursor);
      long page = cursor.guard.address();
      // All of this held a moment ago. If it no longer does, the leaf is examined anew.
      if (cursor.slot != ~PageView.slotCount(page)
          || !LeafPlan.mayAppend(page)
          || !LeafPlan.isFull(tree, page, run, from)) {
        return AGAIN;
      }
      left = cursor.guard.pageId();
      if (!PageView.isIncompleteSplit(page)) {
        byte[] low =
            LeafAppend.separator(page, run.bytes(), run.keyStart(from), run.keyLength(from));
        if (!LeafAppend.fits(page, low)) {
          return SINGLE; // an ordinary split moves rows away first
        }
        int prefix = LeafAppend.prefixLength(page, low);
        int fences = low.length + TreePage.highLength(page);
        int to = session.listedUndo.limit(run);
        plan.chooseFresh(tree, page, fences, prefix, run, from, to);
        if (plan.count == 0) {
          return SINGLE;
        }
        PageGuard leaf = LeafAppend.start(tree, session.ctx, cursor, fresh, low);
        LeafRecords.insertRun(txn, leaf, prefix, run, from, plan, session.listedUndo);
        mtr.commit();
        session.insertLeaf(tree.space(), leaf.pageId());
        result = plan.count;
      }
    } finally {
      LeafAppend.end(cursor);
      txn.releaseUndo();
      mtr.abandon();
      LeafAppend.giveBack(tree, session.ctx, fresh, result > 0);
    }
    LeafAppend.complete(tree, session.ctx, PageId.number(left));
    return result;
  }

  private static void prepareUndo(Transaction txn, StoreSession session, RowRun run) {
    if (!session.listedUndo.isInUse()) {
      txn.prepareUndo(LeafRecords.UNDO_BYTES + 2 * run.longestKey());
    }
  }

  private void findLeaf(StoreSession session, RowRun run, int at) {
    tree.findLeafAt(
        session.ctx,
        session.cursor,
        session.insertLeaf(tree.space()),
        run.bytes(),
        run.keyStart(at),
        run.keyLength(at),
        true);
  }
}
