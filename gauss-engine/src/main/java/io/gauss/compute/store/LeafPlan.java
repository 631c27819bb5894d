package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.common.page.PageView;
import io.gauss.common.page.SlottedPage;
import io.gauss.common.page.TreePage;
import io.gauss.compute.tree.BTree;

/**
 * Which rows of a run go onto a leaf by one mini-transaction, and where. One per session, reused.
 */
final class LeafPlan {
  /** This many rows behind a leaf's last one count as the beginning of more. */
  private static final int ORDERED_RUN = 3;

  /** Number of rows of the run, from the requested position on. */
  int count;

  /** By row: records of the leaf that lie between it and the row before. */
  final int[] skips = new int[TreePage.MOST_LEAF_RECORDS];

  /**
   * Whether the next row belongs behind all others of this leaf, which is as full as it should be.
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
        // All later rows also belong behind the last record.
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
      bytes += LeafRecords.bytesBehind(prefixLength, keyLength, run.rowLength(i));
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
    return PageView.insertRun(page) >= ORDERED_RUN
        && PageView.lastInsert(page) == PageView.slotCount(page) - 1;
  }
}
