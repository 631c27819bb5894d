package io.gauss.compute.tree;

import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;

/**
 * Estimates the number of records between two keys from one descent for each: a key's place is the
 * fraction of the children (at the leaf: of the records) left of it, level by level, and the tree's
 * size is the product of the fan-outs on the way.
 */
public final class TreeEstimate {
  private double place;
  private double size;

  private TreeEstimate() {}

  /**
   * @param low null = from the first key
   * @param high null = to the last key
   */
  public static long rows(BTree tree, EngineContext ctx, byte[] low, byte[] high) {
    TreeEstimate at = new TreeEstimate();
    at.descend(tree, ctx, low == null ? new byte[0] : low);
    double from = low == null ? 0 : at.place;
    double size = at.size;
    double to = 1;
    if (high != null) {
      at.descend(tree, ctx, high);
      to = at.place;
      size = (size + at.size) / 2;
    }
    return Math.max(0, Math.round((to - from) * size));
  }

  private void descend(BTree tree, EngineContext ctx, byte[] key) {
    PageGuard guard = TreeCursor.of(ctx).guard;
    place = 0;
    size = 1;
    double width = 1;
    long next = tree.pageId(BTree.ROOT);
    while (next != 0) {
      tree.pool().read(ctx, next, guard);
      try {
        long page = guard.address();
        int count = Math.max(1, PageView.slotCount(page));
        int found = TreePage.find(page, key, 0, key.length);
        boolean leaf = PageView.level(page) == 0;
        int left = found >= 0 ? found : leaf ? ~found : Math.max(0, ~found - 1);
        place += width * left / count;
        width /= count;
        size *= leaf ? PageView.slotCount(page) : count;
        next = leaf ? 0 : tree.pageId(TreePage.child(page, left));
      } finally {
        guard.close();
      }
    }
  }
}
