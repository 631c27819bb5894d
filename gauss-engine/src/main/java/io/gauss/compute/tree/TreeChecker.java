package io.gauss.compute.tree;

import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.SlottedPage;
import io.gauss.common.page.TreePage;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks the invariants of a tree at rest: level by level along the right links, and each level
 * against the separators of the level above. Shared by tests and by {@code gauss check}. The tree
 * must not be changed meanwhile.
 */
public final class TreeChecker {
  private record Child(byte[] key, int page) {}

  private final BTree tree;
  private final EngineContext ctx;
  private final PageGuard guard = new PageGuard();
  private final List<String> problems = new ArrayList<>();
  private final Set<Integer> seen = new HashSet<>();
  private int levels;
  private long leaves;
  private long records;
  private long incompleteSplits;

  private TreeChecker(BTree tree, EngineContext ctx) {
    this.tree = tree;
    this.ctx = ctx;
  }

  /** The result of a check; no problems means that the tree is sound. */
  public record Report(
      List<String> problems, int levels, long leaves, long records, long incompleteSplits) {}

  public static Report check(BTree tree, EngineContext ctx) {
    TreeChecker checker = new TreeChecker(tree, ctx);
    checker.run();
    return new Report(
        List.copyOf(checker.problems),
        checker.levels,
        checker.leaves,
        checker.records,
        checker.incompleteSplits);
  }

  private void run() {
    List<Child> expected = List.of(new Child(new byte[0], BTree.ROOT));
    int level = -1;
    while (!expected.isEmpty() && problems.size() < 20) {
      List<Child> below = new ArrayList<>();
      level = checkLevel(expected, level, below);
      levels++;
      if (level == 0) {
        return;
      }
      level--;
      expected = below;
    }
  }

  /** Walks one level from its first page; returns the level's number. */
  private int checkLevel(List<Child> expected, int wantedLevel, List<Child> below) {
    int number = expected.get(0).page;
    byte[] low = new byte[0];
    int next = 0;
    int level = wantedLevel;
    boolean incomplete = false;
    while (true) {
      if (!seen.add(number)) {
        problem(number, "is reached twice");
        return level;
      }
      tree.pool().read(ctx, tree.pageId(number), guard);
      try {
        long page = guard.address();
        if (level < 0) {
          level = PageView.level(page);
        }
        checkPage(number, page, level, low, below);
        if (next < expected.size() && expected.get(next).page == number) {
          if (!Arrays.equals(expected.get(next).key, low)) {
            problem(number, "has another low fence than its separator");
          }
          next++;
        } else if (!incomplete) {
          problem(number, "is not known to the level above, and no split is incomplete");
        }
        incomplete = PageView.isIncompleteSplit(page);
        if (!TreePage.hasHigh(page)) {
          if (PageView.rightSibling(page) != 0) {
            problem(number, "has a right sibling but no high key");
          }
          break;
        }
        low = TreeSplit.highKey(page);
        if (PageView.rightSibling(page) == 0) {
          problem(number, "has a high key but no right sibling");
          break;
        }
        number = PageView.rightSibling(page);
      } finally {
        guard.close();
      }
    }
    if (next != expected.size()) {
      problem(expected.get(next).page, "is in the level above but not in its own");
    }
    return level;
  }

  private void checkPage(int number, long page, int level, byte[] low, List<Child> below) {
    if (PageView.type(page) != PageType.TREE
        || PageView.level(page) != level
        || PageView.pageId(page) != tree.pageId(number)
        || PageView.isUnlinked(page)) {
      problem(
          number, "is " + PageType.name(PageView.type(page)) + " of level " + PageView.level(page));
      return;
    }
    if (!Arrays.equals(low, TreeSplit.lowKey(page))) {
      problem(number, "has a low fence that is not its left sibling's high key");
    }
    byte[] high = TreeSplit.highKey(page);
    if (TreePage.prefixLength(page) > TreeSplit.commonPrefix(low, high)) {
      problem(number, "has a prefix longer than its fences share");
    }
    if (PageView.isIncompleteSplit(page)) {
      incompleteSplits++;
    }
    int count = PageView.slotCount(page);
    byte[] before = null;
    int used = 0;
    for (int i = 0; i < count; i++) {
      byte[] key = new byte[TreePage.keyLength(page, i)];
      TreePage.copyKey(page, i, key, 0);
      if (Arrays.compareUnsigned(key, low) < 0
          || (high != null && Arrays.compareUnsigned(key, high) >= 0)) {
        problem(number, "slot " + i + " is outside of the fences");
      }
      if (before != null && Arrays.compareUnsigned(before, key) >= 0) {
        problem(number, "slot " + i + " is not above the slot before");
      }
      if (SlottedPage.keyHead(page, i)
          != TreePage.head(key, TreePage.prefixLength(page), suffix(page, key))) {
        problem(number, "slot " + i + " has a wrong key head");
      }
      if (level > 0) {
        if (i == 0 && !Arrays.equals(key, low)) {
          problem(number, "first key is not the low fence");
        }
        below.add(new Child(key, TreePage.child(page, i)));
      }
      used += SlottedPage.recordLength(page, i) + SlottedPage.SLOT_BYTES;
      before = key;
    }
    if (level == 0) {
      leaves++;
      records += count;
    } else if (count == 0) {
      problem(number, "is an inner page without children");
    }
    if (used != SlottedPage.usedBytes(page)
        || PageView.freeStart(page) != PageLayout.HEADER_BYTES + count * SlottedPage.SLOT_BYTES
        || PageView.freeStart(page) > PageView.freeEnd(page)) {
      problem(number, "counts its free bytes wrongly");
    }
  }

  private static int suffix(long page, byte[] key) {
    return key.length - TreePage.prefixLength(page);
  }

  private void problem(int page, String what) {
    problems.add("tree " + tree.space() + " page " + page + " " + what);
  }
}
