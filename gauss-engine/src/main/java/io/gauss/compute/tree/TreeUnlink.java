package io.gauss.compute.tree;

import io.gauss.common.id.PageId;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.SlottedPage;
import io.gauss.common.page.TreePage;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.buffer.RetainedPages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.MtrPart;
import io.gauss.compute.mtr.PageRecords;

/**
 * Takes an empty leaf out of its tree, in the background: one MTR over parent, left neighbour and
 * the leaf. The left neighbour takes over the key range (its high key and right link become the
 * leaf's), the parent forgets the leaf, and the leaf is marked, so that a search that still reaches
 * it starts again from the root.
 *
 * <p>Latch order: parent, left, leaf. Everything is read first with one latch at a time and checked
 * again under the three; an attempt that does not match is left for the next time. A parent's first
 * child stays, since its left neighbour is under another parent: at most one empty leaf remains for
 * each level-1 page.
 */
final class TreeUnlink {
  private static final int MTR_BYTES = 2 * TreePage.MAX_KEY_BYTES + 320;

  private TreeUnlink() {}

  static boolean unlink(BTree tree, EngineContext ctx, int number, MtrPart noted) {
    if (number == BTree.ROOT) {
      return false;
    }
    TreeCursor cursor = TreeCursor.of(ctx);
    BufferPool pool = tree.pool();
    long leafId = tree.pageId(number);
    byte[] low;
    pool.read(ctx, leafId, cursor.guard);
    try {
      long page = cursor.guard.address();
      if (!isEmptyLeaf(page) || TreePage.lowLength(page) == 0) {
        return false;
      }
      low = TreeSplit.lowKey(page);
    } finally {
      cursor.guard.close();
    }
    long leftId = leftNeighbour(tree, ctx, cursor, low);
    int incomplete = cursor.takeIncomplete(tree.space());
    if (incomplete != 0) {
      TreeSplit.complete(tree, ctx, incomplete);
    }
    return tryUnlink(tree, ctx, cursor, leftId, leafId, low, noted);
  }

  /**
   * Repeats until it is decided: an attempt fails without a decision when a page has gone
   * meanwhile, unless that page is one of those that {@code noted} wants.
   */
  private static boolean tryUnlink(
      BTree tree,
      EngineContext ctx,
      TreeCursor cursor,
      long leftId,
      long leafId,
      byte[] low,
      MtrPart noted) {
    BufferPool pool = tree.pool();
    pool.pinToWrite(ctx, leafId);
    try {
      pool.pinToWrite(ctx, leftId);
      try {
        boolean contended = false;
        while (true) {
          try {
            return unlinkPinned(tree, ctx, cursor, leftId, leafId, low, contended, noted);
          } catch (PageAwayException e) {
            if (contended) {
              return false; // the tree's pages were retained, so it was one of noted's
            }
            contended = true;
          }
        }
      } finally {
        pool.unpin(leftId);
      }
    } finally {
      pool.unpin(leafId);
    }
  }

  private static long leftNeighbour(BTree tree, EngineContext ctx, TreeCursor cursor, byte[] low) {
    try {
      TreeSearch.descendBelow(tree, ctx, cursor, cursor.guard, low, low.length, 0);
      return cursor.guard.pageId();
    } finally {
      cursor.guard.close();
    }
  }

  /**
   * @param contended whether the pages are retained from other nodes, after an attempt without that
   */
  private static boolean unlinkPinned(
      BTree tree,
      EngineContext ctx,
      TreeCursor cursor,
      long leftId,
      long leafId,
      byte[] low,
      boolean contended,
      MtrPart noted) {
    BufferPool pool = tree.pool();
    Mtr mtr = ctx.mtr();
    RetainedPages retained = null;
    try {
      mtr.begin(MTR_BYTES);
      if (contended) {
        long parentId = TreeSearch.locate(tree, ctx, cursor, cursor.parent, low, 1);
        if (parentId == leftId || parentId == leafId || leftId == leafId) {
          return false; // one of them was reused meanwhile
        }
        retained = new RetainedPages(pool, ctx, parentId, leftId, leafId);
        pool.writeKept(ctx, parentId, cursor.parent);
        if (!TreeSearch.isAt(cursor, cursor.parent.address(), low, 1)) {
          return false;
        }
      } else {
        TreeSearch.descend(
            tree, ctx, cursor, cursor.parent, low, 0, low.length, 1, TreeSearch.Use.WRITE);
      }
      int slot = cursor.slot;
      long parent = cursor.parent.address();
      if (slot < 1
          || TreePage.child(parent, slot) != PageId.number(leafId)
          || TreePage.child(parent, slot - 1) != PageId.number(leftId)) {
        return false;
      }
      pool.write(ctx, leftId, cursor.left);
      pool.write(ctx, leafId, cursor.guard);
      long left = cursor.left.address();
      long leaf = cursor.guard.address();
      if (!TreeSearch.isLive(left, 0)
          || PageView.isIncompleteSplit(left)
          || PageView.rightSibling(left) != PageId.number(leafId)
          || !isEmptyLeaf(leaf)
          || PageView.isIncompleteSplit(leaf)) {
        return false;
      }
      byte[] leftLow = TreeSplit.lowKey(left);
      byte[] high = TreeSplit.highKey(leaf);
      int shorter = TreePage.prefixLength(left) - TreeSplit.commonPrefix(leftLow, high);
      int growth =
          shorter * PageView.slotCount(left)
              + (high == null ? 0 : high.length)
              - TreePage.highLength(left);
      if (growth > SlottedPage.freeBytes(left)) {
        return false;
      }
      TreeSplit.startRefence(
          mtr,
          cursor.left,
          PageView.slotCount(left),
          PageView.flags(left),
          PageView.rightSibling(leaf),
          leftLow,
          high);
      PageRecords.writeByte(
          mtr, cursor.guard, PageLayout.FLAGS, PageView.flags(leaf) | PageLayout.FLAG_UNLINKED);
      PageRecords.remove(mtr, cursor.parent, slot, 1);
      noted.append(mtr);
      mtr.commit();
      return true;
    } finally {
      cursor.closeAll();
      mtr.abandon();
      if (retained != null) {
        retained.close();
      }
    }
  }

  private static boolean isEmptyLeaf(long page) {
    return PageView.type(page) == PageType.TREE
        && PageView.level(page) == 0
        && !PageView.isUnlinked(page)
        && PageView.slotCount(page) == 0;
  }
}
