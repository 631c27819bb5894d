package io.gauss.compute.tree;

import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Picks leaves of a tree at random, each as likely as any other, without reading leaves: it walks
 * the level above them from left to right. For statistics, so a split or unlink in between may make
 * it miss a leaf or count one twice.
 */
public final class TreeLeaves {
  /**
   * Keys of one leaf.
   *
   * @param low first key that may be on it; null = from the first key of the tree
   * @param high first key that may not; null = to the last key of the tree
   */
  public record Range(byte[] low, byte[] high) {}

  /**
   * @param count leaves of the whole tree
   * @param sample ranges of the leaves picked, in key order
   */
  public record Leaves(long count, List<Range> sample) {}

  private final BTree tree;
  private final EngineContext ctx;
  private final int sampleMax;
  private final RandomGenerator random;
  private final byte[] key = new byte[TreePage.MAX_KEY_BYTES];
  private final List<Picked> picked = new ArrayList<>();
  private long count;

  private record Picked(long order, Range range) {}

  private TreeLeaves(BTree tree, EngineContext ctx, int sampleMax, RandomGenerator random) {
    this.tree = tree;
    this.ctx = ctx;
    this.sampleMax = sampleMax;
    this.random = random;
  }

  /** Picks up to {@code sampleMax} leaves. May wait for pages. */
  public static Leaves sample(
      BTree tree, EngineContext ctx, int sampleMax, RandomGenerator random) {
    return new TreeLeaves(tree, ctx, sampleMax, random).run();
  }

  private Leaves run() {
    long page = leftmostAboveLeaves();
    if (page == 0) {
      return new Leaves(1, List.of(new Range(null, null)));
    }
    boolean first = true;
    while (page != 0) {
      page = visit(page, first);
      first = false;
      ctx.interrupts().check();
    }
    picked.sort(Comparator.comparingLong(Picked::order));
    return new Leaves(Math.max(1, count), picked.stream().map(Picked::range).toList());
  }

  /** Page id of the first page of level 1, 0 when the root is a leaf. */
  private long leftmostAboveLeaves() {
    PageGuard guard = TreeCursor.of(ctx).guard;
    long next = tree.pageId(BTree.ROOT);
    while (true) {
      long current = next;
      tree.pool().read(ctx, current, guard);
      try {
        long page = guard.address();
        if (PageView.level(page) == 0) {
          return 0;
        }
        if (PageView.level(page) == 1) {
          return current;
        }
        next = tree.pageId(TreePage.child(page, 0));
      } finally {
        guard.close();
      }
    }
  }

  /** Counts and picks among the children of one page; returns its right sibling, 0 at the end. */
  private long visit(long pageId, boolean first) {
    PageGuard guard = TreeCursor.of(ctx).guard;
    tree.pool().read(ctx, pageId, guard);
    try {
      long page = guard.address();
      if (PageView.type(page) != PageType.TREE || PageView.level(page) != 1) {
        // The page was reused elsewhere in between: the sample so far is fair anyway.
        return 0;
      }
      int slots = PageView.slotCount(page);
      for (int slot = 0; slot < slots; slot++) {
        long order = count++;
        long place = order < sampleMax ? order : random.nextLong(count);
        if (place >= sampleMax) {
          continue;
        }
        Picked leaf = new Picked(order, range(page, slot, slots, first && slot == 0));
        if (order < sampleMax) {
          picked.add(leaf);
        } else {
          picked.set((int) place, leaf);
        }
      }
      int right = PageView.rightSibling(page);
      return right == 0 ? 0 : tree.pageId(right);
    } finally {
      guard.close();
    }
  }

  private Range range(long page, int slot, int slots, boolean firstOfTree) {
    byte[] low = firstOfTree ? null : copy(TreePage.copyKey(page, slot, key, 0));
    byte[] high = null;
    if (slot + 1 < slots) {
      high = copy(TreePage.copyKey(page, slot + 1, key, 0));
    } else if (TreePage.hasHigh(page)) {
      high = copy(TreePage.copyHigh(page, key, 0));
    }
    return new Range(low, high);
  }

  private byte[] copy(int length) {
    return java.util.Arrays.copyOf(key, length);
  }
}
