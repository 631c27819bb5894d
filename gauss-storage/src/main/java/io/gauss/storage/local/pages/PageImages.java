package io.gauss.storage.local.pages;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.collections.LongArrayList;

/**
 * Folded pages in a bounded number of slots off-heap, replaced by the second-chance rule; dirty
 * ones stay until they are written. Guarded by the store's lock.
 */
final class PageImages implements AutoCloseable {
  private static final int SLAB_PAGES = 128;
  private static final int MAX_STEPS = 256;

  private final Arena arena = Arena.ofShared();
  private final int limit;
  private final LongArrayList free = new LongArrayList();
  private final List<PageEntry> entries = new ArrayList<>();
  private final Consumer<PageEntry> evicted;
  private int allocated;
  private int hand;

  /**
   * @param evicted called when an entry has lost its image
   */
  PageImages(long bytes, Consumer<PageEntry> evicted) {
    this.evicted = evicted;
    this.limit = (int) Math.max(4, bytes / PageLayout.PAGE_BYTES);
  }

  /**
   * Gives the entry a slot if one is free or can be taken from a clean image; false when there is
   * none.
   */
  boolean attach(PageEntry entry) {
    long slot = freeSlot();
    if (slot == 0 && evictClean()) {
      slot = freeSlot();
    }
    if (slot == 0) {
      return false;
    }
    entry.image = slot;
    entry.imageIndex = entries.size();
    entries.add(entry);
    return true;
  }

  private long freeSlot() {
    if (free.isEmpty() && allocated < limit) {
      int pages = Math.min(SLAB_PAGES, limit - allocated);
      long slab =
          Memory.allocate(arena, (long) pages * PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
      for (int i = pages - 1; i >= 0; i--) {
        free.addLong(slab + (long) i * PageLayout.PAGE_BYTES);
      }
      allocated += pages;
    }
    return free.isEmpty() ? 0 : free.popLong();
  }

  private boolean evictClean() {
    // Two rounds: the first may only clear reference marks.
    int steps = Math.min(2 * entries.size(), MAX_STEPS);
    for (int i = 0; i < steps; i++) {
      PageEntry entry = next();
      if (entry.busy || entry.dirty) {
        continue;
      }
      if (entry.referenced) {
        entry.referenced = false;
        continue;
      }
      detach(entry);
      evicted.accept(entry);
      return true;
    }
    return false;
  }

  /** The next idle dirty image under the hand, null when none was found. */
  PageEntry nextDirty() {
    for (int i = 0; i < entries.size(); i++) {
      PageEntry entry = next();
      if (entry.dirty && !entry.busy) {
        return entry;
      }
    }
    return null;
  }

  private PageEntry next() {
    hand = hand + 1 < entries.size() ? hand + 1 : 0;
    return entries.get(hand);
  }

  /** Takes the image from the entry. */
  void detach(PageEntry entry) {
    free.addLong(entry.image);
    entry.image = 0;
    PageEntry last = entries.removeLast();
    if (last != entry) {
      entries.set(entry.imageIndex, last);
      last.imageIndex = entry.imageIndex;
    }
  }

  int limit() {
    return limit;
  }

  int used() {
    return allocated - free.size();
  }

  @Override
  public void close() {
    arena.close();
  }
}
