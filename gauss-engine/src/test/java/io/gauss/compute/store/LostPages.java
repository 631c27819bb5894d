package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.OverflowPage;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.VersionHeader;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.SpaceMapLayout;
import io.gauss.compute.space.Spaces;
import io.gauss.compute.tree.BTree;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;

/**
 * Whether every page of trees that was allocated is in a tree, or known to be free: pages that were
 * written and are not of type FREE against those that are reached from the root. Nobody writes
 * meanwhile, and everything that can be purged is.
 */
public final class LostPages {
  private final BufferPool pool;
  private final Spaces spaces;
  private final EngineContext ctx;
  private final PageGuard guard = new PageGuard();

  public LostPages(BufferPool pool, Spaces spaces, EngineContext ctx) {
    this.pool = pool;
    this.spaces = spaces;
    this.ctx = ctx;
  }

  /** Extents of user trees that these nodes do not hold, as space and number. */
  public List<String> heldByNoneOf(Set<Integer> nodes) {
    List<String> held = new ArrayList<>();
    for (int space : spaces()) {
      for (int extent = 0; entry(space, extent) != 0; extent++) {
        int holder = entry(space, extent) & 0xFF;
        if (!nodes.contains(holder)) {
          held.add("extent " + extent + " of space " + space + " is held by " + holder);
        }
      }
    }
    return held;
  }

  public int heldBy(int node) {
    int held = 0;
    for (int space : spaces()) {
      for (int extent = 0; entry(space, extent) != 0; extent++) {
        held += (entry(space, extent) & 0xFF) == node ? 1 : 0;
      }
    }
    return held;
  }

  /** The trees that are there, those of the catalog apart. */
  public List<Integer> spaces() {
    return spaces.userSpaces(ctx);
  }

  /** Pages that are lost. */
  public List<String> find() {
    List<String> lost = new ArrayList<>();
    for (int space : spaces()) {
      BitSet reached = reached(space);
      for (int extent = 0; entry(space, extent) != 0; extent++) {
        lost.addAll(find(space, extent, reached));
      }
    }
    return lost;
  }

  private List<String> find(int space, int extent, BitSet reached) {
    List<String> lost = new ArrayList<>();
    int first = SpaceMapLayout.firstPage(extent);
    for (int number = first; number < first + SpaceMapLayout.EXTENT_PAGES; number++) {
      pool.read(ctx, PageId.of(space, number), guard);
      try {
        long page = guard.address();
        int type = PageView.type(page);
        boolean isUsed =
            Memory.getLong(page + PageLayout.LSN) != 0
                && type != PageType.FREE
                && type != PageType.SPACE_MAP;
        if (isUsed && !reached.get(number)) {
          String state = PageView.isUnlinked(page) ? "unlinked " : "";
          lost.add(PageId.toString(PageId.of(space, number)) + " " + state + PageType.name(type));
        }
      } finally {
        guard.close();
      }
    }
    return lost;
  }

  /** The extent's entry; 0 where the space ends. */
  private int entry(int space, int extent) {
    pool.read(ctx, PageId.of(space, SpaceMapLayout.mapPage(extent)), guard);
    try {
      return PageView.type(guard.address()) == PageType.SPACE_MAP
          ? Memory.getInt(guard.address() + SpaceMapLayout.entry(extent))
          : 0;
    } finally {
      guard.close();
    }
  }

  private BitSet reached(int space) {
    BitSet reached = new BitSet();
    ArrayDeque<Integer> left = new ArrayDeque<>(List.of(BTree.ROOT));
    while (!left.isEmpty()) {
      int number = left.poll();
      if (number == 0 || reached.get(number)) {
        continue;
      }
      reached.set(number);
      pool.read(ctx, PageId.of(space, number), guard);
      try {
        long page = guard.address();
        left.add(PageView.rightSibling(page)); // of overflow pages the chain's next
        if (PageView.type(page) == PageType.TREE) {
          below(page, left);
        }
      } finally {
        guard.close();
      }
    }
    return reached;
  }

  private static void below(long page, ArrayDeque<Integer> left) {
    for (int slot = 0; slot < PageView.slotCount(page); slot++) {
      if (PageView.level(page) > 0) {
        left.add(TreePage.child(page, slot));
      } else if (VersionHeader.isOverflow(TreePage.version(page, slot))) {
        left.add(OverflowPage.firstPage(TreePage.rowAddress(page, slot)));
      }
    }
  }
}
