package io.gauss.compute.tree;

import io.gauss.common.id.PageId;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.SlottedPage;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.MtrPart;
import io.gauss.compute.mtr.PageRecords;
import io.gauss.compute.space.Spaces;

/**
 * A B-link tree in one space (Lehman and Yao, 1981): structure only. The meaning of a leaf record
 * is the store's concern.
 *
 * <p>Every page has a low fence, a high key and a right sibling. A page is split by two
 * mini-transactions: one fills a fresh right page, cuts the left page and links it; the other posts
 * the separator to the parent. In between the parent does not know the right page, which is legal:
 * a search that reaches the left page with a key at or above its high key moves right. The root's
 * page number never changes: a root split moves its content down.
 *
 * <p>Latch order: parent before child, left before right, fresh pages, then undo pages. Searches
 * and scans hold one latch at a time; two or three are held only to post a separator and to unlink
 * an empty leaf.
 *
 * <p>Invariants: the keys of a page are in [low fence, high key); the high key of a page is the low
 * fence of its right sibling; an inner page's first key is its low fence; every child has the level
 * below. A page number may be stale when its page is reached, since page numbers are held with no
 * latch: type, level, flags and low fence are checked on arrival, and a search that finds them
 * wrong starts again from the root. So searches do not require a horizon for the reuse of page
 * numbers. Not kept: balance after deletions (empty leaves go, half-full ones are not merged).
 *
 * <p>Thread-safe; one object per space and node.
 */
public final class BTree {
  /** The root's page number in every tree's space. */
  public static final int ROOT = 1;

  private final BufferPool pool;
  private final Spaces spaces;
  private final int space;
  private final int maxUsedBytes;

  // The root's level when last seen. Only a guess that saves latching the root twice, so it may be
  // torn or stale; at first it is no valid level, so that the root is not taken from other nodes
  // for writing.
  private int rootLevel = -1;

  BTree(BufferPool pool, Spaces spaces, int space) {
    this(pool, spaces, space, PageLayout.PAGE_BYTES);
  }

  /**
   * @param maxUsedBytes upper bound of the bytes of slots and records on a page before it is split;
   *     tests set it low to get high trees of few rows
   */
  public BTree(BufferPool pool, Spaces spaces, int space, int maxUsedBytes) {
    this.pool = pool;
    this.spaces = spaces;
    this.space = space;
    this.maxUsedBytes = maxUsedBytes;
  }

  /** Creates a space with an empty tree in it; returns the space's number. May wait. */
  public static int create(EngineContext ctx, BufferPool pool, Spaces spaces) {
    int space = spaces.create(ctx);
    formatRoot(ctx, pool, spaces, space);
    return space;
  }

  /**
   * Whether the space has a tree in it: a crash may happen between creating a space and its root.
   */
  public static boolean isFormatted(EngineContext ctx, BufferPool pool, int space) {
    TreeCursor cursor = TreeCursor.of(ctx);
    try {
      pool.read(ctx, PageId.of(space, ROOT), cursor.guard);
      return PageView.type(cursor.guard.address()) == PageType.TREE;
    } finally {
      cursor.guard.close();
    }
  }

  /** Creates the root of an empty tree in a space from which no page was reserved yet. */
  public static void formatRoot(EngineContext ctx, BufferPool pool, Spaces spaces, int space) {
    int root = spaces.reserve(ctx, space);
    Invariant.check(root == ROOT, "first page of space {} is {}", space, root);
    TreeCursor cursor = TreeCursor.of(ctx);
    Mtr mtr = ctx.mtr();
    try {
      mtr.begin(128);
      pool.write(ctx, PageId.of(space, ROOT), cursor.guard);
      PageRecords.format(mtr, cursor.guard, PageType.TREE);
      mtr.commit();
    } finally {
      cursor.guard.close();
      mtr.abandon();
    }
    pool.unpin(PageId.of(space, ROOT));
  }

  public int space() {
    return space;
  }

  public BufferPool pool() {
    return pool;
  }

  Spaces spaces() {
    return spaces;
  }

  long pageId(int number) {
    return PageId.of(space, number);
  }

  int rootLevel() {
    return rootLevel;
  }

  void rootLevel(int level) {
    this.rootLevel = level;
  }

  /** Upper bound of the bytes of slots and records on a page with these fences. */
  int capacity(int fenceBytes) {
    return Math.min(maxUsedBytes, PageLayout.PAGE_BYTES - PageLayout.HEADER_BYTES - fenceBytes);
  }

  /** Bytes of slots and records up to which rows in ascending order fill a leaf. */
  public int fillLimit(int fenceBytes) {
    return capacity(fenceBytes) * SplitPoint.ORDERED_FILL_PERCENT / 100;
  }

  /** Whether a page takes this many more bytes (slots included) without a split. */
  public boolean fits(long page, int bytes) {
    return bytes <= SlottedPage.freeBytes(page)
        && (SlottedPage.usedBytes(page) + bytes <= maxUsedBytes || PageView.slotCount(page) <= 1);
  }

  /**
   * Latches the leaf of a key and sets {@code cursor.slot} to the key's slot or {@code ~slot} of
   * the first above it. Waits for pages; no latch may be held.
   */
  public void findLeaf(
      EngineContext ctx, TreeCursor cursor, byte[] key, int offset, int length, boolean write) {
    TreeSearch.descend(
        this,
        ctx,
        cursor,
        cursor.guard,
        key,
        offset,
        length,
        0,
        write ? TreeSearch.Use.WRITE : TreeSearch.Use.READ);
  }

  /** As {@link #findLeaf} to read, for a caller that will probably write the leaf next. */
  public void findLeafToWrite(
      EngineContext ctx, TreeCursor cursor, byte[] key, int offset, int length) {
    TreeSearch.descend(
        this, ctx, cursor, cursor.guard, key, offset, length, 0, TreeSearch.Use.READ_TO_WRITE);
  }

  /**
   * As {@link #findLeaf}, trying first the page where the key is believed to be.
   *
   * @param hint page id, 0 for none
   */
  public void findLeafAt(
      EngineContext ctx,
      TreeCursor cursor,
      long hint,
      byte[] key,
      int offset,
      int length,
      boolean write) {
    if (hint == 0 || !TreeSearch.tryLeaf(this, ctx, cursor, hint, key, offset, length, write)) {
      findLeaf(ctx, cursor, key, offset, length, write);
    }
  }

  /**
   * Splits the leaf of a key unless it takes {@code bytes} more by now; no latch may be held, may
   * wait.
   *
   * @param fresh whether the bytes are for a new record with this key, rather than for the growth
   *     of the record it has
   */
  public void makeRoom(
      EngineContext ctx, byte[] key, int offset, int length, int bytes, boolean fresh) {
    TreeSplit.makeRoom(this, ctx, 0, key, offset, length, bytes, fresh);
  }

  /**
   * Cuts the leaf of a key where {@code where} decides, then cuts the leaf that the key is on
   * afterwards, and so on; no latch may be held, may wait.
   */
  public void cut(EngineContext ctx, byte[] key, int offset, int length, LeafCut where) {
    TreeSplit.cut(this, ctx, key, offset, length, where);
  }

  /**
   * Completes a split that a search moved over, if there was one (rule 22). No latch may be held.
   * Where waiting is not allowed, the next search that notices it completes it.
   */
  public void completeNoticed(EngineContext ctx, TreeCursor cursor) {
    int left = cursor.takeIncomplete(space);
    if (left != 0 && ctx.waits().mayBlock()) {
      TreeSplit.complete(this, ctx, left);
    }
  }

  /**
   * Takes an empty leaf out of the tree. False when it is not empty, has no left neighbour under
   * the same parent, or another thread was in the way. The page may still be reached by stale
   * numbers; see {@code TreeUnlink}.
   *
   * @param noted its records are in the same MTR, behind the record that marks the page
   */
  public boolean unlink(EngineContext ctx, int pageNumber, MtrPart noted) {
    return TreeUnlink.unlink(this, ctx, pageNumber, noted);
  }
}
