package io.gauss.compute.tree;

import io.gauss.common.invariant.Invariant;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;

/**
 * Walks over the records of a key range, in key order or against it, with at most one leaf latched
 * shared.
 *
 * <p>Between {@link #next} calls the leaf stays latched until {@link #pause}; after a pause the
 * scan continues behind the record it stood on: on the same page when its LSN is unchanged,
 * otherwise by a search for the key. To the right it follows the sibling link, to the left it
 * searches for the keys below the page's low fence, since pages know no left sibling. If a page is
 * not the expected one, a search finds the right one.
 *
 * <p>Records that others insert or remove around the scan's position may be met or missed; a caller
 * that needs a consistent view has to judge versions. Reusable; one thread at a time.
 */
public final class TreeScan implements AutoCloseable {
  private static final byte[] EMPTY = {};
  private static final int READ_AHEAD = 16;

  private enum Position {
    /**
     * Nothing latched, and the next search starts at {@code at} inclusive (descending: just below
     * it).
     */
    SEEK,
    /** Nothing latched, standing on the record with key {@code at}. */
    PAUSED,
    /** The leaf is latched, standing on {@code slot}. */
    LATCHED,
    END
  }

  private final EngineContext ctx;
  private final PageGuard guard = new PageGuard();
  private final TreeCursor cursor = new TreeCursor();
  private BTree tree;
  private boolean descending;

  // Normalised range [low, high); no high bound when highLength is -1.
  private byte[] low = EMPTY;
  private int lowLength;
  private byte[] high = EMPTY;
  private int highLength;

  private Position position = Position.END;
  private byte[] at = EMPTY;
  private int atLength; // -1 = above every key (start of a descending scan without high bound)
  private boolean skipAt; // a search for at (ascending) continues behind it when it is still there

  private long pausedPage;
  private long pausedLsn;

  private boolean missed; // a leaf had to be loaded since the last read-ahead
  private int ahead; // leaves requested ahead
  private long[] aheadPages;

  private int slot;
  private int
      end; // ascending: slot behind the range on this page; descending: lowest slot of the range
  private boolean lastPage;

  public TreeScan(EngineContext ctx) {
    this.ctx = ctx;
  }

  /**
   * Sets the range; nothing is read before {@link #next}.
   *
   * @param lowKey null = from the first key
   * @param highKey null = to the last key
   * @param highInclusive whether keys equal to high, or having it as a prefix, belong to the range
   */
  public void open(
      BTree treeToScan,
      byte[] lowKey,
      int lowKeyLength,
      boolean lowInclusive,
      byte[] highKey,
      int highKeyLength,
      boolean highInclusive,
      boolean backwards) {
    close();
    tree = treeToScan;
    descending = backwards;
    int need = TreePage.MAX_KEY_BYTES + 1;
    setLow(lowKey, lowKey == null ? 0 : Math.min(lowKeyLength, need), lowInclusive);
    setHigh(highKey, highKey == null ? -1 : Math.min(highKeyLength, need), highInclusive);
    skipAt = false;
    missed = false;
    ahead = 0;
    if (descending) {
      setAt(high, highLength);
    } else {
      setAt(low, lowLength);
    }
    position = Position.SEEK;
  }

  private void setLow(byte[] key, int length, boolean inclusive) {
    low = grown(low, length + 1);
    if (length > 0) {
      System.arraycopy(key, 0, low, 0, length);
    }
    lowLength = length;
    if (key != null && !inclusive) {
      low[lowLength++] = 0; // the first key above it
    }
  }

  private void setHigh(byte[] key, int length, boolean inclusive) {
    highLength = length;
    if (length < 0) {
      return;
    }
    high = grown(high, length);
    System.arraycopy(key, 0, high, 0, length);
    if (!inclusive) {
      return;
    }
    // The first key that does not have it as a prefix: its last byte below 255 incremented, the
    // bytes after it cut off.
    int n = length;
    while (n > 0 && high[n - 1] == (byte) 0xFF) {
      n--;
    }
    if (n > 0) {
      high[n - 1]++;
      highLength = n;
    } else {
      highLength = -1;
    }
  }

  private void setAt(byte[] key, int length) {
    if (length > 0) {
      at = grown(at, length);
      System.arraycopy(key, 0, at, 0, length);
    }
    atLength = length;
  }

  private static byte[] grown(byte[] buffer, int length) {
    return buffer.length >= length ? buffer : new byte[Math.max(length, 2 * buffer.length + 32)];
  }

  /**
   * Moves to the next record of the range; false at the end. Waits for pages, then with no latch
   * held.
   */
  public boolean next() {
    if (position == Position.LATCHED) {
      slot += descending ? -1 : 1;
    } else if (position == Position.PAUSED) {
      resume();
    }
    while (true) {
      if (position == Position.END) {
        return false;
      }
      if (position == Position.SEEK) {
        seek();
      }
      if (descending ? slot >= end : slot < end) {
        return true;
      }
      leavePage();
    }
  }

  /** After a pause: {@link #next} returns to the same record if it is still there. */
  public void repeat() {
    Invariant.check(position == Position.PAUSED, "scan is not paused");
    if (descending) {
      at = java.util.Arrays.copyOf(at, Math.max(at.length, atLength + 1));
      at[atLength++] = 0; // just below the first key above it
    }
    skipAt = false;
    position = Position.SEEK;
  }

  public long page() {
    return guard.address();
  }

  public long pageId() {
    return guard.pageId();
  }

  /** Page of the current record; also while paused. */
  public long lastPageId() {
    return position == Position.PAUSED ? pausedPage : guard.pageId();
  }

  public int slot() {
    return slot;
  }

  /** Copies the current record's key; also while paused. */
  public int copyKey(byte[] to, int offset) {
    if (position == Position.PAUSED) {
      System.arraycopy(at, 0, to, offset, atLength);
      return atLength;
    }
    return TreePage.copyKey(guard.address(), slot, to, offset);
  }

  /** Releases the latch and remembers the record; no effect when nothing is latched. */
  public void pause() {
    if (position != Position.LATCHED) {
      return;
    }
    long page = guard.address();
    at = grown(at, TreePage.keyLength(page, slot));
    atLength = TreePage.copyKey(page, slot, at, 0);
    pausedPage = guard.pageId();
    pausedLsn = PageView.lsn(page);
    guard.close();
    position = Position.PAUSED;
  }

  @Override
  public void close() {
    guard.close();
    cursor.guard.close();
    position = Position.END;
  }

  private void resume() {
    if (tree.pool().tryRead(ctx, pausedPage, guard)) {
      if (PageView.lsn(guard.address()) == pausedLsn) {
        position = Position.LATCHED;
        slot += descending ? -1 : 1;
        return;
      }
      guard.close();
    }
    position = Position.SEEK;
    skipAt = true;
  }

  /** Latches the leaf at the remembered key and stands on the first record of the range there. */
  private void seek() {
    if (descending) {
      TreeSearch.descendBelow(tree, ctx, cursor, guard, atLength < 0 ? null : at, atLength, 0);
      int first = atLength < 0 ? PageView.slotCount(guard.address()) : lowerBound(at, atLength);
      enter(first - 1);
      return;
    }
    TreeSearch.descend(tree, ctx, cursor, guard, at, 0, atLength, 0, TreeSearch.Use.READ);
    int found = cursor.slot;
    enter(found < 0 ? ~found : skipAt ? found + 1 : found);
    skipAt = false;
  }

  private int lowerBound(byte[] key, int length) {
    int found = TreePage.find(guard.address(), key, 0, length);
    return found >= 0 ? found : ~found;
  }

  private void enter(int first) {
    long page = guard.address();
    slot = first;
    position = Position.LATCHED;
    if (descending) {
      lastPage =
          TreePage.lowLength(page) == 0
              || TreePage.compare(
                      TreePage.lowAddress(page), TreePage.lowLength(page), low, 0, lowLength)
                  <= 0;
      end = lastPage ? lowerBound(low, lowLength) : 0;
    } else {
      lastPage =
          !TreePage.hasHigh(page)
              || (highLength >= 0
                  && TreePage.compare(
                          TreePage.highAddress(page),
                          TreePage.highLength(page),
                          high,
                          0,
                          highLength)
                      >= 0);
      end = lastPage && highLength >= 0 ? lowerBound(high, highLength) : PageView.slotCount(page);
    }
  }

  /**
   * Pages of an ascending scan are not in memory: requests the next leaves, which their parent
   * knows.
   */
  private void readAhead() {
    missed = false;
    if (tree.rootLevel() <= 0) {
      return;
    }
    if (aheadPages == null) {
      aheadPages = new long[READ_AHEAD];
    }
    TreeSearch.descend(tree, ctx, cursor, cursor.guard, at, 0, atLength, 1, TreeSearch.Use.READ);
    try {
      long page = cursor.guard.address();
      int first = cursor.slot >= 0 ? cursor.slot : Math.max(0, ~cursor.slot - 1);
      int count = Math.min(READ_AHEAD, PageView.slotCount(page) - first);
      for (int i = 0; i < count; i++) {
        aheadPages[i] = tree.pageId(TreePage.child(page, first + i));
      }
      ahead = count;
    } finally {
      cursor.guard.close();
    }
    tree.pool().prefetch(aheadPages, ahead);
  }

  /** The page is done: latches the next one, or ends. */
  private void leavePage() {
    long page = guard.address();
    if (lastPage) {
      close();
      return;
    }
    int length = descending ? TreePage.lowLength(page) : TreePage.highLength(page);
    at = grown(at, length);
    atLength = length;
    skipAt = false;
    position = Position.SEEK;
    if (descending) {
      TreePage.copyLow(page, at, 0);
      guard.close();
      return;
    }
    TreePage.copyHigh(page, at, 0);
    long right = tree.pageId(PageView.rightSibling(page));
    guard.close();
    if (ahead > 0) {
      ahead--;
    } else if (missed) {
      readAhead();
    }
    long misses = ctx.pages().misses();
    tree.pool().read(ctx, right, guard);
    missed |= ctx.pages().misses() != misses;
    page = guard.address();
    if (TreeSearch.isLive(page, 0)
        && TreePage.compare(TreePage.lowAddress(page), TreePage.lowLength(page), at, 0, atLength)
            == 0) {
      enter(0);
    } else {
      guard.close();
    }
  }
}
