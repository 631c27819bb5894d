package io.gauss.compute.tree;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;

/**
 * Descents from the root. One latch at a time: the child's number is read, the parent is released,
 * the child is latched and judged by its own header. A page whose key range begins at or below the
 * key leads to the key by moving right, whatever happened in between; otherwise the search starts
 * again.
 */
final class TreeSearch {
  // Restarts come from unlinked pages and are rare; this many mean that the tree's links are
  // broken.
  private static final int MAX_RESTARTS = 100_000;

  private TreeSearch() {}

  /** The use for which the page of the search is latched. */
  enum Use {
    READ,
    /** To be read, and probably written soon. */
    READ_TO_WRITE,
    WRITE
  }

  /**
   * Latches the page of a level whose range holds the key; {@code cursor.slot} gets the result of
   * {@link TreePage#find}.
   *
   * @param use what that page is latched for; it is latched exclusively only to be written now
   */
  static void descend(
      BTree tree,
      EngineContext ctx,
      TreeCursor cursor,
      PageGuard guard,
      byte[] key,
      int offset,
      int length,
      int level,
      Use use) {
    BufferPool pool = tree.pool();
    for (int restarts = 0; ; restarts++) {
      checkRestarts(tree, restarts);
      int expected = latchRoot(tree, ctx, guard, level, use);
      while (true) {
        long page = guard.address();
        if (!isLive(page, expected)) {
          break;
        }
        if (TreePage.isRightOf(page, key, offset, length)) {
          long right = moveRight(tree, cursor, page);
          guard.close();
          latch(pool, ctx, right, guard, expected == level ? use : Use.READ);
          continue;
        }
        int slot = TreePage.find(page, key, offset, length);
        if (expected == level) {
          if (slot == ~0 && TreePage.isLeftOf(page, key, offset, length)) {
            break;
          }
          cursor.slot = slot;
          return;
        }
        long child = tree.pageId(TreePage.child(page, slot >= 0 ? slot : Math.max(0, ~slot - 1)));
        guard.close();
        expected--;
        latch(pool, ctx, child, guard, expected == level ? use : Use.READ);
      }
      guard.close();
    }
  }

  /**
   * Latches, shared, the page of a level that holds the keys just below the given one.
   *
   * @param key null for the last page of the level
   */
  static void descendBelow(
      BTree tree,
      EngineContext ctx,
      TreeCursor cursor,
      PageGuard guard,
      byte[] key,
      int length,
      int level) {
    BufferPool pool = tree.pool();
    for (int restarts = 0; ; restarts++) {
      checkRestarts(tree, restarts);
      int expected = latchRoot(tree, ctx, guard, level, Use.READ);
      while (true) {
        long page = guard.address();
        if (!isLive(page, expected)) {
          break;
        }
        if (TreePage.hasHigh(page)
            && (key == null
                || TreePage.compare(
                        TreePage.highAddress(page), TreePage.highLength(page), key, 0, length)
                    < 0)) {
          long right = moveRight(tree, cursor, page);
          guard.close();
          pool.read(ctx, right, guard);
          continue;
        }
        if (expected == level) {
          if (key != null
              && TreePage.lowLength(page) != 0
              && TreePage.compare(
                      TreePage.lowAddress(page), TreePage.lowLength(page), key, 0, length)
                  >= 0) {
            break;
          }
          return;
        }
        int count = PageView.slotCount(page);
        int slot =
            key == null ? Math.max(0, count - 1) : TreePage.findChildBelow(page, key, 0, length);
        long child = tree.pageId(TreePage.child(page, slot));
        guard.close();
        expected--;
        pool.read(ctx, child, guard);
      }
      guard.close();
    }
  }

  /**
   * The page of a level whose range held the key a moment ago, for a caller that gets the right to
   * it before latching it.
   */
  static long locate(
      BTree tree, EngineContext ctx, TreeCursor cursor, PageGuard guard, byte[] key, int level) {
    try {
      descend(tree, ctx, cursor, guard, key, 0, key.length, level, Use.READ);
      return guard.pageId();
    } finally {
      guard.close();
    }
  }

  /**
   * Whether a latched page is of the level and holds the key's range; if so, {@code cursor.slot} is
   * set.
   */
  static boolean isAt(TreeCursor cursor, long page, byte[] key, int level) {
    if (!isLive(page, level) || TreePage.isRightOf(page, key, 0, key.length)) {
      return false;
    }
    cursor.slot = TreePage.find(page, key, 0, key.length);
    return cursor.slot != ~0 || !TreePage.isLeftOf(page, key, 0, key.length);
  }

  /**
   * Latches a leaf by its number if it is resident and holds the key's range; otherwise false,
   * without a latch.
   */
  static boolean tryLeaf(
      BTree tree,
      EngineContext ctx,
      TreeCursor cursor,
      long pageId,
      byte[] key,
      int offset,
      int length,
      boolean write) {
    if (PageId.space(pageId) != tree.space()) {
      return false;
    }
    PageGuard guard = cursor.guard;
    BufferPool pool = tree.pool();
    if (!(write ? pool.tryWrite(ctx, pageId, guard) : pool.tryRead(ctx, pageId, guard))) {
      return false;
    }
    long page = guard.address();
    if (isLive(page, 0) && !TreePage.isRightOf(page, key, offset, length)) {
      int slot = TreePage.find(page, key, offset, length);
      if (slot != ~0 || !TreePage.isLeftOf(page, key, offset, length)) {
        cursor.slot = slot;
        return true;
      }
    }
    guard.close();
    return false;
  }

  /** Latches the root, for the use if it is of the level, otherwise to read; returns its level. */
  private static int latchRoot(BTree tree, EngineContext ctx, PageGuard guard, int level, Use use) {
    long root = tree.pageId(BTree.ROOT);
    while (true) {
      Use now = tree.rootLevel() == level ? use : Use.READ;
      latch(tree.pool(), ctx, root, guard, now);
      int found = PageView.level(guard.address());
      if (found != tree.rootLevel()) {
        tree.rootLevel(found);
      }
      if (found < level || PageView.type(guard.address()) != PageType.TREE) {
        int type = PageView.type(guard.address());
        guard.close();
        throw new IllegalStateException(
            "root of tree " + tree.space() + " is of " + PageType.name(type) + ", level " + found);
      }
      if (found != level || now == use || use != Use.WRITE) {
        return found;
      }
      guard.close();
    }
  }

  private static void checkRestarts(BTree tree, int restarts) {
    if (restarts > MAX_RESTARTS) {
      throw new GaussException(
          SqlState.INDEX_CORRUPTED, "tree of space " + tree.space() + " has a broken link");
    }
  }

  static boolean isLive(long page, int level) {
    return PageView.type(page) == PageType.TREE
        && PageView.level(page) == level
        && !PageView.isUnlinked(page);
  }

  private static long moveRight(BTree tree, TreeCursor cursor, long page) {
    if (PageView.isIncompleteSplit(page)) {
      cursor.noteIncomplete(PageView.pageId(page));
    }
    return tree.pageId(PageView.rightSibling(page));
  }

  private static void latch(
      BufferPool pool, EngineContext ctx, long pageId, PageGuard guard, Use use) {
    switch (use) {
      case READ -> pool.read(ctx, pageId, guard);
      case READ_TO_WRITE -> pool.readToWrite(ctx, pageId, guard);
      case WRITE -> pool.write(ctx, pageId, guard);
    }
  }
}
