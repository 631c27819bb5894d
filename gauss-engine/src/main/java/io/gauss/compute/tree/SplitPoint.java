package io.gauss.compute.tree;

import io.gauss.common.page.PageView;
import io.gauss.common.page.SlottedPage;
import io.gauss.common.page.TreePage;

/**
 * Where to cut a full page. The records are counted as if the change that needs the room had been
 * made, so that it fits afterwards. Rows that come in ascending order (the page counts such runs)
 * leave the left page about 90 % full, or, when other rows follow them on the page, stay together
 * on the left, and all that follow move away; otherwise the page is halved.
 */
final class SplitPoint {
  private static final int ORDERED_RUN = 3;
  static final int ORDERED_FILL_PERCENT = 90;

  /** Records that stay on the left page. */
  int keep;

  /** The separator: above every key that stays, at or below every key that goes, and short. */
  byte[] separator;

  /**
   * @param slot where the new record goes, or which record grows
   * @param bytes of the new record with its slot, or of the growth
   */
  void choose(
      BTree tree,
      long page,
      int slot,
      boolean fresh,
      int bytes,
      byte[] key,
      int offset,
      int length) {
    int count = PageView.slotCount(page);
    int all = count + (fresh ? 1 : 0);
    if (all < 2) {
      throw new IllegalStateException(
          "record of " + bytes + " bytes does not fit a page with " + count + " others");
    }
    int fences = 2 * longestKey(page, length);
    int capacity = tree.capacity(Math.min(fences, 2 * TreePage.MAX_KEY_BYTES));
    int total = 0;
    for (int i = 0; i < all; i++) {
      total += size(page, i, slot, fresh, bytes);
    }
    int boundary = ordered(page, slot, fresh) ? 0 : halves(page, all, slot, fresh, bytes, total);
    if (boundary == 0) {
      boundary = behindRun(page, all, slot, bytes, capacity);
      int left = 0;
      for (int i = 0; i < boundary; i++) {
        left += size(page, i, slot, fresh, bytes);
      }
      if (boundary < 1 || boundary >= all || left > capacity || total - left > capacity) {
        boundary = halves(page, all, slot, fresh, bytes, total);
      }
    }
    if (PageView.level(page) != 0 && fresh && boundary == slot) {
      // The separator would be the key of a record that is not there yet, and the keys between it
      // and the first record of the right page would belong to no page until it comes.
      boundary += boundary > 1 ? -1 : 1;
    }
    keep = fresh && boundary > slot ? boundary - 1 : boundary;
    byte[] below = keyAt(page, boundary - 1, slot, fresh, key, offset, length);
    byte[] above = keyAt(page, boundary, slot, fresh, key, offset, length);
    // An inner page's first key must equal its low fence, so only leaves get shortened separators.
    separator = PageView.level(page) == 0 ? shortest(below, above) : above;
  }

  /**
   * Between two records, wherever that is.
   *
   * @param records that stay on the left page: at least 1, and fewer than there are
   */
  static SplitPoint before(long leaf, int records) {
    SplitPoint point = new SplitPoint();
    point.keep = records;
    point.separator = shortest(recordKey(leaf, records - 1), recordKey(leaf, records));
    return point;
  }

  /** Bytes of a record with its slot, after the change. */
  private static int size(long page, int i, int slot, boolean fresh, int bytes) {
    if (fresh && i == slot) {
      return bytes;
    }
    int record = fresh && i > slot ? i - 1 : i;
    return SlottedPage.recordLength(page, record)
        + SlottedPage.SLOT_BYTES
        + (!fresh && i == slot ? bytes : 0);
  }

  private static boolean ordered(long page, int slot, boolean fresh) {
    return fresh
        && PageView.insertRun(page) >= ORDERED_RUN
        && slot == PageView.lastInsert(page) + 1;
  }

  private static int behindRun(long page, int all, int slot, int bytes, int capacity) {
    if (slot < all - 1) {
      return slot + 1;
    }
    int limit = capacity * ORDERED_FILL_PERCENT / 100;
    int left = 0;
    int boundary = 0;
    while (boundary < all - 1) {
      left += size(page, boundary, slot, true, bytes);
      if (left > limit) {
        break;
      }
      boundary++;
    }
    return boundary;
  }

  private static int halves(long page, int all, int slot, boolean fresh, int bytes, int total) {
    int left = 0;
    int best = 1;
    int bestLarger = Integer.MAX_VALUE;
    for (int boundary = 1; boundary < all; boundary++) {
      left += size(page, boundary - 1, slot, fresh, bytes);
      int larger = Math.max(left, total - left);
      if (larger < bestLarger) {
        bestLarger = larger;
        best = boundary;
      }
    }
    return best;
  }

  private static int longestKey(long page, int length) {
    int longest = Math.max(length, Math.max(TreePage.lowLength(page), TreePage.highLength(page)));
    int count = PageView.slotCount(page);
    for (int i = 0; i < count; i++) {
      longest = Math.max(longest, TreePage.keyLength(page, i));
    }
    return longest;
  }

  private static byte[] keyAt(
      long page, int i, int slot, boolean fresh, byte[] key, int offset, int length) {
    if (fresh && i == slot) {
      return java.util.Arrays.copyOfRange(key, offset, offset + length);
    }
    return recordKey(page, fresh && i > slot ? i - 1 : i);
  }

  private static byte[] recordKey(long page, int record) {
    byte[] copy = new byte[TreePage.keyLength(page, record)];
    TreePage.copyKey(page, record, copy, 0);
    return copy;
  }

  /** The shortest prefix of {@code above} that is still above {@code below}. */
  static byte[] shortest(byte[] below, byte[] above) {
    int common = 0;
    while (common < below.length && common < above.length && below[common] == above[common]) {
      common++;
    }
    return java.util.Arrays.copyOf(above, Math.min(above.length, common + 1));
  }
}
