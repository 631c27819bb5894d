package io.gauss.compute.txn;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.UndoPage;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.undo.UndoSegments;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Finds the leaves with deleted records again that waited for purge when a process ended: the
 * {@link PurgeQueue} is in memory only, but the undo of the deletions tells their keys. Searches
 * the undo rings of the segments that recovery has found, in the background.
 *
 * <p>Not found is what lies before the rings' beginnings: deletions whose undo had been overwritten
 * while their leaves still waited. Their records are reclaimed when the leaf fills up, as are those
 * that the queue has no room for.
 *
 * <p>Rings are added by any thread, and searched by one at a time.
 */
final class PurgeSearch {
  /** Undo pages that are searched in one step. */
  private static final int STEP_PAGES = 16;

  /** Pages of a ring after which the search of it ends, in case that its links are in a circle. */
  private static final int MOST_PAGES = 1 << 20;

  /**
   * The undo pages of a segment that are still to be searched.
   *
   * @param csn all deletions in them that count were committed before
   * @param number the segment's number in its slot
   */
  record Ring(UndoSegments segments, int number, int page, int last, long csn, int done) {
    Ring(UndoSegments segments, int number, int first, int last, long csn) {
      this(segments, number, first, last, csn, 0);
    }
  }

  private final Transactions all;
  private final Queue<Ring> rings = new ConcurrentLinkedQueue<>();
  private final PageGuard guard = new PageGuard();

  PurgeSearch(Transactions all) {
    this.all = all;
  }

  void add(Ring ring) {
    rings.add(ring);
  }

  /**
   * Searches some pages.
   *
   * @return false when there are no more
   */
  boolean step(EngineContext ctx, LeafPurge leaves) {
    for (int i = 0; i < STEP_PAGES; i++) {
      Ring ring = rings.poll();
      if (ring == null) {
        return false;
      }
      Ring rest = search(ctx, ring, leaves);
      if (rest != null) {
        rings.add(rest);
      }
    }
    return !rings.isEmpty();
  }

  /** The rest of the ring after its first page; null when there is none. */
  private Ring search(EngineContext ctx, Ring ring, LeafPurge leaves) {
    List<byte[]> deletions = new ArrayList<>();
    int next;
    all.pool().read(ctx, ring.segments.id(ring.page), guard);
    try {
      long page = guard.address();
      if (PageView.type(page) != PageType.UNDO || UndoPage.segment(page) != ring.number) {
        return null; // it was given back since
      }
      next = PageView.rightSibling(page);
      for (int slot = 0; slot < UndoPage.slotCount(page); slot++) {
        addDeletion(deletions, UndoPage.record(page, slot), UndoPage.recordLength(page, slot));
      }
    } finally {
      guard.close();
    }
    long[] found = new long[deletions.size()];
    int count = 0;
    for (byte[] record : deletions) {
      long leaf = leaves.leafOf(ctx, record);
      if (leaf != 0 && (count == 0 || found[count - 1] != leaf)) {
        found[count++] = leaf;
      }
    }
    if (count > 0) {
      all.purgeQueue().add(ring.csn, found, count);
    }
    boolean ends = ring.page == ring.last || next == 0 || ring.done >= MOST_PAGES;
    return ends
        ? null
        : new Ring(ring.segments, ring.number, next, ring.last, ring.csn, ring.done + 1);
  }

  private static void addDeletion(List<byte[]> deletions, long record, int length) {
    if (UndoContentLayout.endsRow(record)) {
      byte[] copy = new byte[length];
      Memory.copyOut(record, copy, 0, length);
      deletions.add(copy);
    }
  }
}
