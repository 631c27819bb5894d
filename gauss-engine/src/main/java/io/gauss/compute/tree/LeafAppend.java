package io.gauss.compute.tree;

import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.SlottedPage;
import io.gauss.common.page.TreePage;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;

/**
 * A split that moves nothing: a fresh leaf takes the end of a leaf's key range, in which there are
 * no records, and gets its first records by the same MTR. As after any split the separator is
 * posted by a second MTR ({@link TreeSplit}).
 *
 * <p>Order of use: {@link #reserve} (no latch held), open the MTR, latch the leaf, {@link #start},
 * add records for the fresh leaf, commit, {@link #end}, {@link #giveBack}, {@link #complete}.
 */
public final class LeafAppend {
  /** MTR bytes besides those of the fresh leaf's records: four fences and two headers. */
  public static final int MTR_BYTES = 4 * TreePage.MAX_KEY_BYTES + 256;

  private LeafAppend() {}

  /** Reserves and pins a page. May wait. */
  public static int reserve(BTree tree, EngineContext ctx) {
    return tree.spaces().reserve(ctx, tree.space());
  }

  /**
   * Unpins a page that was reserved.
   *
   * @param used whether it has become a leaf; else it is free again
   */
  public static void giveBack(BTree tree, EngineContext ctx, int page, boolean used) {
    TreeSplit.giveBack(tree, ctx, page, used);
  }

  /** The separator between a leaf's records and a key above all of them. */
  public static byte[] separator(long leaf, byte[] key, int offset, int length) {
    int last = PageView.slotCount(leaf) - 1;
    byte[] below = new byte[TreePage.keyLength(leaf, last)];
    TreePage.copyKey(leaf, last, below, 0);
    return SplitPoint.shortest(below, java.util.Arrays.copyOfRange(key, offset, offset + length));
  }

  /**
   * Whether a leaf has room for a separator as its high key. The common prefix of its keys does not
   * become shorter, so its records do not grow.
   */
  public static boolean fits(long leaf, byte[] separator) {
    return SlottedPage.freeBytes(leaf) >= separator.length - TreePage.highLength(leaf);
  }

  /** Bytes that all keys from a separator up to the leaf's high key have in common. */
  public static int prefixLength(long leaf, byte[] separator) {
    return TreeSplit.commonPrefix(separator, TreeSplit.highKey(leaf));
  }

  /**
   * Adds records that cut the leaf at the cursor and format the fresh one; returns its guard.
   *
   * @param separator above all keys of the leaf, which is not the root and whose split is complete
   */
  public static PageGuard start(
      BTree tree, EngineContext ctx, TreeCursor cursor, int fresh, byte[] separator) {
    long leaf = cursor.guard.address();
    Mtr mtr = ctx.mtr();
    tree.pool().write(ctx, tree.pageId(fresh), cursor.fresh);
    byte[] high = TreeSplit.highKey(leaf);
    startFormat(mtr, cursor.fresh, PageView.rightSibling(leaf), separator, high);
    TreeSplit.startRefence(
        mtr,
        cursor.guard,
        PageView.slotCount(leaf),
        PageView.flags(leaf) | PageLayout.FLAG_INCOMPLETE_SPLIT,
        fresh,
        TreeSplit.lowKey(leaf),
        separator);
    return cursor.fresh;
  }

  private static void startFormat(Mtr mtr, PageGuard page, int right, byte[] low, byte[] high) {
    mtr.startRecord(page, RedoType.FORMAT);
    mtr.putByte(PageType.TREE);
    mtr.putByte(0); // level
    mtr.putByte(0); // flags
    mtr.putByte(0);
    mtr.putInt(PageView.generation(page.address()) + 1);
    mtr.putInt(right);
    mtr.putShort(TreeSplit.commonPrefix(low, high));
    mtr.putShort(low.length);
    mtr.putShort(high == null ? PageLayout.NO_HIGH_KEY : high.length);
    mtr.putBytes(low, 0, low.length);
    if (high != null) {
      mtr.putBytes(high, 0, high.length);
    }
    mtr.endRecord();
  }

  /** Releases both leaves. */
  public static void end(TreeCursor cursor) {
    cursor.fresh.close();
    cursor.guard.close();
  }

  /** Posts the separator of a leaf whose split is incomplete. No latch may be held; may wait. */
  public static void complete(BTree tree, EngineContext ctx, int leaf) {
    TreeSplit.complete(tree, ctx, leaf);
  }
}
