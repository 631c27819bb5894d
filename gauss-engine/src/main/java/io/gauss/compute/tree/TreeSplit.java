package io.gauss.compute.tree;

import io.gauss.common.fault.FaultPoints;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.ScratchPages;
import io.gauss.common.page.SlottedPage;
import io.gauss.common.page.TreePage;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.buffer.RetainedPages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;

/**
 * Splits. One MTR fills a page that was reserved before any latch with the right part, cuts the
 * left page, links it and marks its split incomplete; a second one posts the separator and clears
 * the mark after it has checked mark and right link again (rule 22). A page whose split is
 * incomplete is not split again before that is completed, so that mark, right link and high key
 * always belong to the same split. A root split is one MTR: both halves go to fresh pages.
 */
final class TreeSplit {
  /** Room for two page images, or an image and a cut, with their headers and keys. */
  private static final int SPLIT_MTR_BYTES = 3 * PageLayout.PAGE_BYTES;

  private static final int POST_MTR_BYTES = 2 * TreePage.MAX_KEY_BYTES;

  private TreeSplit() {}

  /** Decides, with the page latched, whether and where it is split. */
  private interface Chooser {
    /** False when the page is not, or no longer, to be split. */
    boolean isDue(long page, int slot);

    SplitPoint choose(long page, int slot);
  }

  /** For a change that needs more bytes. */
  private record Room(BTree tree, byte[] key, int offset, int length, int bytes, boolean fresh)
      implements Chooser {
    /**
     * Another thread may have made room, or inserted or removed the record: the caller checks
     * again.
     */
    @Override
    public boolean isDue(long page, int slot) {
      return !tree.fits(page, bytes) && fresh == slot < 0;
    }

    @Override
    public SplitPoint choose(long page, int slot) {
      SplitPoint point = new SplitPoint();
      point.choose(tree, page, slot >= 0 ? slot : ~slot, fresh, bytes, key, offset, length);
      return point;
    }
  }

  /** Where the caller wants. */
  private record Wanted(LeafCut where) implements Chooser {
    @Override
    public boolean isDue(long page, int slot) {
      return where.recordsLeft(page, slot) > 0;
    }

    @Override
    public SplitPoint choose(long page, int slot) {
      return SplitPoint.before(page, where.recordsLeft(page, slot));
    }
  }

  /**
   * Splits the page of a level that holds the key until it takes the bytes; see {@link
   * BTree#makeRoom}.
   */
  static void makeRoom(
      BTree tree,
      EngineContext ctx,
      int level,
      byte[] key,
      int offset,
      int length,
      int bytes,
      boolean fresh) {
    Chooser room = new Room(tree, key, offset, length, bytes, fresh);
    split(tree, ctx, level, key, offset, length, room);
  }

  /** See {@link BTree#cut}. */
  static void cut(
      BTree tree, EngineContext ctx, byte[] key, int offset, int length, LeafCut where) {
    split(tree, ctx, 0, key, offset, length, new Wanted(where));
  }

  private static void split(
      BTree tree,
      EngineContext ctx,
      int level,
      byte[] key,
      int offset,
      int length,
      Chooser chooser) {
    TreeCursor cursor = TreeCursor.of(ctx);
    boolean root = tree.rootLevel() == level;
    while (true) {
      int result;
      try {
        result = attempt(tree, ctx, cursor, level, key, offset, length, chooser, root);
      } catch (PageAwayException e) {
        continue; // rare: another node has read a fresh page
      }
      if (result == DONE) {
        return;
      }
      if (result == IS_ROOT) {
        root = true;
      } else if (result != SPLIT_ROOT) {
        root = false;
        complete(tree, ctx, result);
      }
    }
  }

  // Results of an attempt; others are the number of a page whose split is to be completed.
  private static final int DONE = 0;
  private static final int IS_ROOT = -1;
  private static final int SPLIT_ROOT = -2;

  private static int attempt(
      BTree tree,
      EngineContext ctx,
      TreeCursor cursor,
      int level,
      byte[] key,
      int offset,
      int length,
      Chooser chooser,
      boolean root) {
    int right = 0;
    int left = 0;
    int used = 0;
    Mtr mtr = ctx.mtr();
    try {
      right = tree.spaces().reserve(ctx, tree.space());
      left = root ? tree.spaces().reserve(ctx, tree.space()) : 0;
      mtr.begin(SPLIT_MTR_BYTES);
      TreeSearch.descend(
          tree, ctx, cursor, cursor.guard, key, offset, length, level, TreeSearch.Use.WRITE);
      long page = cursor.guard.address();
      if (!chooser.isDue(page, cursor.slot)) {
        return DONE;
      }
      if (PageView.isIncompleteSplit(page)) {
        return PageId.number(cursor.guard.pageId());
      }
      boolean isRoot = PageId.number(cursor.guard.pageId()) == BTree.ROOT;
      if (isRoot && left == 0) {
        return IS_ROOT;
      }
      SplitPoint point = chooser.choose(page, cursor.slot);
      if (isRoot) {
        splitRoot(tree, ctx, cursor, point, left, right);
        used = 2;
        return SPLIT_ROOT;
      }
      split(tree, ctx, cursor, point, right);
      used = 1;
      return PageId.number(cursor.guard.pageId());
    } finally {
      cursor.closeAll();
      mtr.abandon();
      giveBack(tree, ctx, right, used >= 1);
      giveBack(tree, ctx, left, used == 2);
    }
  }

  static void giveBack(BTree tree, EngineContext ctx, int reserved, boolean used) {
    if (reserved != 0 && used) {
      tree.pool().unpin(tree.pageId(reserved));
    } else if (reserved != 0) {
      tree.spaces().unreserve(ctx, tree.space(), reserved);
    }
  }

  private static void split(
      BTree tree, EngineContext ctx, TreeCursor cursor, SplitPoint point, int right) {
    long page = cursor.guard.address();
    Mtr mtr = ctx.mtr();
    byte[] low = lowKey(page);
    byte[] high = highKey(page);
    tree.pool().write(ctx, tree.pageId(right), cursor.fresh);
    rightImage(mtr, cursor.fresh, page, point, high);
    startRefence(
        mtr,
        cursor.guard,
        point.keep,
        PageView.flags(page) | PageLayout.FLAG_INCOMPLETE_SPLIT,
        right,
        low,
        point.separator);
    mtr.commit();
  }

  /** Adds a record that gives a page other fences; see {@code RedoType.REFENCE}. */
  static void startRefence(
      Mtr mtr, PageGuard guard, int keep, int flags, int right, byte[] low, byte[] high) {
    mtr.startRecord(guard, RedoType.REFENCE);
    mtr.putShort(keep);
    mtr.putByte(flags);
    mtr.putByte(0);
    mtr.putInt(right);
    mtr.putShort(commonPrefix(low, high));
    mtr.putShort(low.length);
    mtr.putShort(high == null ? PageLayout.NO_HIGH_KEY : high.length);
    mtr.putBytes(low, 0, low.length);
    if (high != null) {
      mtr.putBytes(high, 0, high.length);
    }
    mtr.endRecord();
  }

  private static void splitRoot(
      BTree tree, EngineContext ctx, TreeCursor cursor, SplitPoint point, int left, int right) {
    long page = cursor.guard.address();
    int level = PageView.level(page);
    if (level == 255) {
      throw new IllegalStateException("tree " + tree.space() + " has 256 levels");
    }
    Mtr mtr = ctx.mtr();
    BufferPool pool = tree.pool();
    byte[] low = lowKey(page);
    pool.write(ctx, tree.pageId(left), cursor.fresh2);
    pool.write(ctx, tree.pageId(right), cursor.fresh);
    image(mtr, cursor.fresh2, page, 0, point.keep, right, low, point.separator);
    rightImage(mtr, cursor.fresh, page, point, null);
    PageRecords.format(mtr, cursor.guard, PageType.TREE, level + 1, 0, 0);
    startInnerInsert(mtr, cursor.guard, 0, 0, low, left);
    startInnerInsert(mtr, cursor.guard, 1, 0, point.separator, right);
    mtr.commit();
  }

  private static void rightImage(Mtr mtr, PageGuard to, long page, SplitPoint point, byte[] high) {
    image(
        mtr,
        to,
        page,
        point.keep,
        PageView.slotCount(page),
        PageView.rightSibling(page),
        point.separator,
        high);
  }

  private static void image(
      Mtr mtr,
      PageGuard to,
      long from,
      int fromSlot,
      int toSlot,
      int right,
      byte[] low,
      byte[] high) {
    long image = ScratchPages.acquire();
    try {
      int generation = PageView.generation(to.address()) + 1;
      SlottedPage.format(image, PageType.TREE, PageView.level(from), 0, to.pageId(), generation);
      Memory.putInt(image + PageLayout.RIGHT_SIBLING, right);
      long keys = image + PageLayout.PAGE_BYTES;
      Memory.copyIn(low, 0, keys, low.length);
      if (high != null) {
        Memory.copyIn(high, 0, keys + low.length, high.length);
      }
      TreePage.setFences(
          image,
          commonPrefix(low, high),
          low.length,
          high == null ? PageLayout.NO_HIGH_KEY : high.length,
          keys);
      TreePage.appendRecords(from, fromSlot, toSlot, image);
      PageRecords.image(mtr, to, image);
    } finally {
      ScratchPages.release(image);
    }
  }

  private static void startInnerInsert(
      Mtr mtr, PageGuard guard, int slot, int prefix, byte[] key, int child) {
    PageRecords.startInsert(mtr, guard, slot);
    TreePage.putInnerRecord(mtr, child, key, prefix, key.length - prefix);
    mtr.endRecord();
  }

  /**
   * Posts the separator of a page whose split is incomplete, if it still is. May wait; no latch may
   * be held.
   */
  static void complete(BTree tree, EngineContext ctx, int left) {
    TreeCursor cursor = TreeCursor.of(ctx);
    long leftId = tree.pageId(left);
    FaultPoints.hit("tree.before-post");
    boolean contended = false;
    boolean complete = false;
    while (!complete) {
      // Pinned, since it is latched under the parent's latch, where waiting is not allowed.
      tree.pool().pinToWrite(ctx, leftId);
      try {
        complete = post(tree, ctx, cursor, leftId, contended);
      } catch (PageAwayException e) {
        contended = true;
      } finally {
        tree.pool().unpin(leftId);
      }
    }
  }

  /**
   * True when the split is complete; false after the parent was split, or was the wrong page: try
   * again.
   *
   * <p>One MTR over two pages that other nodes may want, the parent and the left page (rule 20
   * allows one): with two MTRs there would be a state in which the parent knows the right page and
   * the mark is still there, which every reader of marks would have to handle. The rule guards
   * against two nodes that take the second page from each other under latches. That cannot happen
   * here: a thread never waits for the right to a page under a latch, and after the first attempt
   * that fails both pages are retained.
   *
   * @param contended whether the pages are retained from other nodes, since an attempt without that
   *     failed because a page had gone
   */
  private static boolean post(
      BTree tree, EngineContext ctx, TreeCursor cursor, long leftId, boolean contended) {
    BufferPool pool = tree.pool();
    Mtr mtr = ctx.mtr();
    byte[] separator;
    int right;
    int level;
    pool.read(ctx, leftId, cursor.left);
    try {
      long page = cursor.left.address();
      if (PageView.type(page) != PageType.TREE || !PageView.isIncompleteSplit(page)) {
        return true;
      }
      separator = highKey(page);
      right = PageView.rightSibling(page);
      level = PageView.level(page);
    } finally {
      cursor.left.close();
    }
    int bytes;
    RetainedPages retained = null;
    try {
      mtr.begin(POST_MTR_BYTES);
      if (contended) {
        long parentId = TreeSearch.locate(tree, ctx, cursor, cursor.parent, separator, level + 1);
        if (parentId == leftId) {
          return false; // the page was reused meanwhile
        }
        retained = new RetainedPages(pool, ctx, parentId, leftId);
        pool.writeKept(ctx, parentId, cursor.parent);
        if (!TreeSearch.isAt(cursor, cursor.parent.address(), separator, level + 1)) {
          return false;
        }
      } else {
        TreeSearch.descend(
            tree,
            ctx,
            cursor,
            cursor.parent,
            separator,
            0,
            separator.length,
            level + 1,
            TreeSearch.Use.WRITE);
      }
      int slot = cursor.slot;
      pool.write(ctx, leftId, cursor.left);
      long page = cursor.left.address();
      long parent = cursor.parent.address();
      if (!PageView.isIncompleteSplit(page)
          || PageView.rightSibling(page) != right
          || PageView.level(page) != level) {
        return false;
      }
      int prefix = TreePage.prefixLength(parent);
      bytes = TreePage.innerBytes(separator.length - prefix) + SlottedPage.SLOT_BYTES;
      if (slot >= 0 && TreePage.child(parent, slot) != right) {
        throw new IllegalStateException(
            "separator of page "
                + PageId.toString(leftId)
                + " leads to page "
                + TreePage.child(parent, slot)
                + " instead of "
                + right);
      }
      if (slot >= 0 || tree.fits(parent, bytes)) {
        if (slot < 0) {
          startInnerInsert(mtr, cursor.parent, ~slot, prefix, separator, right);
        }
        PageRecords.writeByte(
            mtr,
            cursor.left,
            PageLayout.FLAGS,
            PageView.flags(page) & ~PageLayout.FLAG_INCOMPLETE_SPLIT);
        mtr.commit();
        return true;
      }
    } finally {
      cursor.closeAll();
      mtr.abandon();
      if (retained != null) {
        retained.close();
      }
    }
    makeRoom(tree, ctx, level + 1, separator, 0, separator.length, bytes, true);
    return false;
  }

  static byte[] lowKey(long page) {
    byte[] key = new byte[TreePage.lowLength(page)];
    TreePage.copyLow(page, key, 0);
    return key;
  }

  /** The page's high key, null when it is the last of its level. */
  static byte[] highKey(long page) {
    if (!TreePage.hasHigh(page)) {
      return null;
    }
    byte[] key = new byte[TreePage.highLength(page)];
    TreePage.copyHigh(page, key, 0);
    return key;
  }

  /** Length of the prefix that all keys between two fences have. */
  static int commonPrefix(byte[] low, byte[] high) {
    if (high == null) {
      return 0;
    }
    int common = java.util.Arrays.mismatch(low, high);
    return common < 0 ? low.length : common;
  }
}
