package io.gauss.compute.tree;

import io.gauss.common.id.PageId;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.Attachment;
import io.gauss.compute.mtr.EngineContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which leaves hold the keys around a given one, as far as inner pages in this node's memory tell:
 * no leaf is read, no page is fetched, and nothing waits. For hints, so what it finds may be out of
 * date at once: a leaf whose separator is not posted yet counts as part of its left neighbour, and
 * a page may have been unlinked or used again.
 *
 * <p>One latch at a time, shared, and only if it is free. Bounded: a descent visits at most {@value
 * #MOST_PAGES} pages.
 */
public final class LeafBounds {
  /** Pages that a descent, or the walk along the level above the leaves, visits at most. */
  static final int MOST_PAGES = 64;

  // A guard of its own: the session's cursor may hold a page while a statement's functions run.
  private static final Attachment<PageGuard> GUARD = new Attachment<>(ctx -> new PageGuard());

  /**
   * A leaf.
   *
   * @param pageId its page
   * @param low first key that may be on it; empty = from the first key of the tree
   * @param high first key that may not; null = to the last key of the tree
   */
  public record Leaf(long pageId, byte[] low, byte[] high) {}

  /**
   * What was found.
   *
   * @param leaves neighbours in key order, one of which holds the key; empty when inner pages were
   *     not here, or in use
   * @param missing the inner page at which the search ended since it is not in memory; 0 = none
   */
  public record Found(List<Leaf> leaves, long missing) {}

  private final BufferPool pool;
  private final EngineContext ctx;
  private final PageGuard guard;
  private final int space;
  private final List<Leaf> leaves = new ArrayList<>();

  private LeafBounds(BufferPool pool, EngineContext ctx, int space) {
    this.pool = pool;
    this.ctx = ctx;
    this.guard = GUARD.of(ctx);
    this.space = space;
  }

  /**
   * The leaf of a key and its neighbours.
   *
   * @param space of the tree
   * @param before leaves to the left of the key's, at most, of those under the same inner page
   * @param most leaves in all, at least one
   */
  public static Found around(
      BufferPool pool, EngineContext ctx, int space, byte[] key, int before, int most) {
    return new LeafBounds(pool, ctx, space).find(key, before, most);
  }

  private Found find(byte[] key, int before, int most) {
    long next = PageId.of(space, BTree.ROOT);
    int level = -1; // the root's is not known
    for (int visited = 0; visited < MOST_PAGES; visited++) {
      long current = next;
      if (!pool.tryRead(ctx, current, guard)) {
        return notHere(current);
      }
      try {
        long page = guard.address();
        level = level < 0 ? PageView.level(page) : level;
        if (!TreeSearch.isLive(page, level)) {
          return new Found(List.of(), 0);
        }
        if (TreePage.isRightOf(page, key, 0, key.length)) {
          next = PageId.of(space, PageView.rightSibling(page));
          continue;
        }
        if (level == 0) {
          // The root is the only leaf, since leaves below it are not read.
          return new Found(List.of(new Leaf(current, new byte[0], null)), 0);
        }
        int found = TreePage.find(page, key, 0, key.length);
        int slot = found >= 0 ? found : Math.max(0, ~found - 1);
        if (level == 1) {
          addLeaves(page, Math.max(0, slot - before), most);
          next = right(page);
        } else {
          next = PageId.of(space, TreePage.child(page, slot));
          level--;
        }
      } finally {
        guard.close();
      }
      if (!leaves.isEmpty()) {
        return new Found(leaves, alongFrom(next, most));
      }
    }
    return new Found(List.of(), 0);
  }

  /** Continues to the right at level 1; returns the page that is not here, 0 = none. */
  private long alongFrom(long first, int most) {
    long next = first;
    for (int visited = 0; visited < MOST_PAGES && next != 0 && leaves.size() < most; visited++) {
      long current = next;
      if (!pool.tryRead(ctx, current, guard)) {
        return notHere(current).missing();
      }
      try {
        long page = guard.address();
        byte[] end = leaves.getLast().high();
        if (!TreeSearch.isLive(page, 1)
            || end == null
            || TreePage.compare(
                    TreePage.lowAddress(page), TreePage.lowLength(page), end, 0, end.length)
                != 0) {
          return 0; // split, or used again meanwhile
        }
        addLeaves(page, 0, most);
        next = right(page);
      } finally {
        guard.close();
      }
    }
    return 0;
  }

  private Found notHere(long pageId) {
    return new Found(List.of(), pool.moves().isHere(pageId) ? 0 : pageId);
  }

  private long right(long page) {
    int sibling = PageView.rightSibling(page);
    return sibling == 0 ? 0 : PageId.of(space, sibling);
  }

  private void addLeaves(long page, int from, int most) {
    int count = PageView.slotCount(page);
    byte[] key = new byte[TreePage.MAX_KEY_BYTES];
    byte[] low = from < count ? Arrays.copyOf(key, TreePage.copyKey(page, from, key, 0)) : key;
    for (int slot = from; slot < count && leaves.size() < most; slot++) {
      byte[] high = null;
      if (slot + 1 < count) {
        high = Arrays.copyOf(key, TreePage.copyKey(page, slot + 1, key, 0));
      } else if (TreePage.hasHigh(page)) {
        high = Arrays.copyOf(key, TreePage.copyHigh(page, key, 0));
      }
      leaves.add(new Leaf(PageId.of(space, TreePage.child(page, slot)), low, high));
      low = high;
    }
  }
}
