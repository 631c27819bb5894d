package io.gauss.compute.routing;

import io.gauss.common.id.PageId;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.wait.PageAccesses;
import io.gauss.compute.wait.PageStatistics;
import java.util.Arrays;

/**
 * The distinct pages of tables and indexes that a transaction has accessed, up to a bound: a
 * transaction that reads more is not routed by its pages. Pages of the catalog, of undo and of
 * space maps are left out; they say nothing about where a transaction should run. Not thread-safe;
 * reused.
 */
final class TouchedPages implements PageAccesses {
  /** Most pages that are remembered; a quarter of the table's size, so that look-ups are short. */
  static final int MOST = 512;

  private static final int SLOTS = 4 * MOST;
  private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SLOTS);
  private static final byte LEAF = 1;
  private static final byte WRITTEN = 2;
  private static final byte MOVED = 4;

  private final long[] pages = new long[SLOTS]; // PageId.NONE = free
  private final byte[] flags = new byte[SLOTS];
  private int count;
  private boolean isComplete = true;
  private PageStatistics statistics;
  private long remote; // pages from other nodes up to the last access

  /** The accesses of a transaction follow, which these statistics count. */
  void begin(PageStatistics counts) {
    statistics = counts;
    remote = counts.remote();
  }

  @Override
  public void accessed(long pageId, long address, boolean write) {
    long before = remote;
    remote = statistics.remote();
    if (PageId.space(pageId) < SystemSpaces.FIRST_USER) {
      return;
    }
    int type = PageView.type(address);
    if (type == PageType.TREE || type == PageType.OVERFLOW) {
      boolean isLeaf = type == PageType.OVERFLOW || PageView.level(address) == 0;
      // A page is latched right after it has come.
      int moved = remote != before ? MOVED : 0;
      add(pageId, (byte) ((isLeaf ? LEAF : 0) | (write ? WRITTEN : 0) | moved));
    }
  }

  private void add(long pageId, byte flag) {
    int slot = (int) (pageId * 0x9E37_79B9_7F4A_7C15L >>> SHIFT);
    while (pages[slot] != pageId) {
      if (pages[slot] == PageId.NONE) {
        if (count == MOST) {
          isComplete = false;
          return;
        }
        pages[slot] = pageId;
        count++;
        break;
      }
      slot = slot + 1 & SLOTS - 1;
    }
    flags[slot] |= flag;
  }

  /** Distinct pages, inner ones of trees among them. */
  int count() {
    return count;
  }

  /** False when there were more pages than are remembered. */
  boolean isComplete() {
    return isComplete;
  }

  /** Groups of the leaves, ascending. */
  long[] groups() {
    return groups(LEAF);
  }

  /** Groups of the leaves that were latched for writing, ascending. */
  long[] writtenGroups() {
    return groups((byte) (LEAF | WRITTEN));
  }

  /** Groups of the leaves of which a page came from another node, ascending. */
  long[] movedGroups() {
    return groups((byte) (LEAF | MOVED));
  }

  private long[] groups(byte wanted) {
    long[] found = new long[count];
    int size = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
      if (pages[slot] != PageId.NONE && (flags[slot] & wanted) == wanted) {
        found[size++] = PageGroups.of(pages[slot]);
      }
    }
    Arrays.sort(found, 0, size);
    int distinct = 0;
    for (int i = 0; i < size; i++) {
      if (distinct == 0 || found[distinct - 1] != found[i]) {
        found[distinct++] = found[i];
      }
    }
    return Arrays.copyOf(found, distinct);
  }

  /** Prepares for the next transaction. */
  void clear() {
    Arrays.fill(pages, PageId.NONE);
    Arrays.fill(flags, (byte) 0);
    count = 0;
    isComplete = true;
  }
}
