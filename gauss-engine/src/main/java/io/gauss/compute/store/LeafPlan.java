package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageView;
import io.gauss.common.page.SlottedPage;
import io.gauss.common.page.TreePage;
import io.gauss.compute.tree.BTree;

/**
 * Which rows of a run go onto a leaf by one mini-transaction, and where. One per session, reused.
 */
final class LeafPlan {
  /** Above the number of records that a leaf can hold. */
  private static final int ROWS_MAX =
      PageLayout.PAGE_BYTES / (TreePage.LEAF_KEY + SlottedPage.SLOT_BYTES);

  /** So many rows behind a leaf's last one are taken for the beginning of more. */
  private static final int ORDERED_RUN = 3;

  /** Rows of the run, from the position asked for on. */
  int count;

  /** By row: records of the leaf that lie between it and the row before. */
  final int[] skips = new int[ROWS_MAX];

  /**
   * Whether the next row belongs behind all others of this leaf, which is as full as it shall be.
   */
  boolean endsFull;

  /**
   * Chooses rows for a leaf that holds the first one's key range but not its key.
   *
   * @param slot where the first row belongs
   * @param to position behind the last row that may be chosen
   */
  void choose(BTree tree, long page, int slot, RowRun run, int from, int to) {
    int records = PageView.slotCount(page);
    int bytes = 0;
    int before = 0;
    boolean full = false;
    count = 0;
    for (int i = from; i < to; i++) {
      int keyLength = run.keyLength(i);
      if (!isPlain(run, from, i)) {
        break;
      }
      if (i > from) {
        int key = run.keyStart(i);
        if (TreePage.isRightOf(page, run.bytes(), key, keyLength)) {
          break;
        }
        // Behind the last record all that follow are, too.
        slot = slot == records ? ~slot : TreePage.find(page, run.bytes(), key, keyLength);
        if (slot >= 0) {
          break;
        }
        slot = ~slot;
      }
      int more = LeafRecords.bytes(page, keyLength, run.rowLength(i));
      if (!fits(tree, page, bytes + more, slot == records)) {
        full = true;
        break;
      }
      skips[count++] = slot - before;
      before = slot;
      bytes += more;
    }
    endsFull = full && slot == records && mayAppend(page) && (count >= ORDERED_RUN || grows(page));
  }

  /** Chooses rows for an empty leaf that takes the end of another's key range. */
  void chooseFresh(
      BTree tree, long page, int fenceBytes, int prefixLength, RowRun run, int from, int to) {
    int limit = tree.fillLimit(fenceBytes);
    int bytes = 0;
    boolean full = false;
    count = 0;
    for (int i = from; i < to && isPlain(run, from, i); i++) {
      int keyLength = run.keyLength(i);
      if (TreePage.isRightOf(page, run.bytes(), run.keyStart(i), keyLength)) {
        break;
      }
      bytes +=
          TreePage.LEAF_KEY + keyLength - prefixLength + run.rowLength(i) + SlottedPage.SLOT_BYTES;
      if (bytes > limit && i > from) {
        full = true;
        break;
      }
      skips[count++] = 0;
    }
    endsFull = full;
  }

  /** Whether a leaf, behind whose records a row belongs, has no room for it. */
  static boolean isFull(BTree tree, long page, RowRun run, int position) {
    int bytes = LeafRecords.bytes(page, run.keyLength(position), run.rowLength(position));
    return !fits(tree, page, bytes, true);
  }

  /** Whether a leaf can be followed by a fresh one: the root stays where it is. */
  static boolean mayAppend(long page) {
    return PageView.slotCount(page) > 0 && PageId.number(PageView.pageId(page)) != BTree.ROOT;
  }

  private static boolean isPlain(RowRun run, int from, int position) {
    return !VersionedTree.isLong(run.keyLength(position), run.rowLength(position))
        && (position == from || !run.repeatsKey(position));
  }

  /** Leaves that grow at their end keep some room for rows that grow. */
  private static boolean fits(BTree tree, long page, int bytes, boolean atEnd) {
    return tree.fits(page, bytes)
        && (!atEnd
            || SlottedPage.usedBytes(page) + bytes <= tree.fillLimit(SlottedPage.fenceBytes(page)));
  }

  /** Whether the leaf's newest records came one behind the other at its end. */
  private static boolean grows(long page) {
    return Memory.getUnsignedShort(page + PageLayout.INSERT_RUN) >= ORDERED_RUN
        && Memory.getUnsignedShort(page + PageLayout.LAST_INSERT) == PageView.slotCount(page) - 1;
  }
}
