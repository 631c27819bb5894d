package io.gauss.compute.tree;

import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import org.agrona.collections.LongArrayList;

/**
 * Lists the leaves of a tree in key order without reading them: it walks the level above them from
 * left to right, one latch at a time. For housekeeping, so a split or unlink in between may make it
 * miss a leaf, name one that is gone, or stop early.
 */
public final class TreeLeafPages {
  private final BTree tree;
  private final EngineContext ctx;
  private final LongArrayList pages = new LongArrayList();

  private TreeLeafPages(BTree tree, EngineContext ctx) {
    this.tree = tree;
    this.ctx = ctx;
  }

  /** Page ids of the leaves, 8 bytes of heap each. May wait for pages. */
  public static long[] list(BTree tree, EngineContext ctx) {
    return new TreeLeafPages(tree, ctx).run();
  }

  private long[] run() {
    long next = tree.pageId(BTree.ROOT);
    PageGuard guard = TreeCursor.of(ctx).guard;
    while (next != 0) {
      ctx.interrupts().check();
      long current = next;
      tree.pool().read(ctx, current, guard);
      try {
        next = visit(current, guard.address());
      } finally {
        guard.close();
      }
    }
    return pages.toLongArray();
  }

  /** Goes down to level 1, and there to the right; returns the next page, 0 at the end. */
  private long visit(long pageId, long page) {
    if (PageView.type(page) != PageType.TREE) {
      return 0; // reused elsewhere since its parent was read
    }
    if (PageView.level(page) == 0) {
      if (pages.isEmpty()) {
        pages.addLong(pageId); // the root is a leaf
      }
      return 0;
    }
    if (PageView.level(page) > 1) {
      return tree.pageId(TreePage.child(page, 0));
    }
    int slots = PageView.slotCount(page);
    for (int slot = 0; slot < slots; slot++) {
      pages.addLong(tree.pageId(TreePage.child(page, slot)));
    }
    int right = PageView.rightSibling(page);
    return right == 0 ? 0 : tree.pageId(right);
  }
}
