package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.SpaceDirectoryLayout;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Deletes the pages of dropped spaces, as soon as the space directory says that nothing uses them
 * any more. The directory is made of redo as all pages are, so all replicas delete the same.
 *
 * <p>Invariant: pages are deleted only after RocksDB has the directory page that says so. Writes
 * become durable in their order, so a store that lacks the pages after a crash has the directory
 * page, and takes no record of the space from its start on. Without that the records that a stream
 * delivers again, or that a stream delivers late, would follow a version that is not there, and
 * their stream would never count as applied.
 *
 * <p>Nothing needs to be noted of what was deleted: a space that is in no use and has pages is
 * deleted, now or after a crash. Numbers of spaces are never used again, so it does not matter how
 * late that is.
 *
 * <p>For one thread at a time; takes the lock of {@link PageIndex}.
 */
final class DeletedSpaces implements AutoCloseable {
  private final PageTable table;
  private final PageIndex index;
  private final DamagedPages damaged;
  private final PageStoreCounters counters;
  private final PageTable.Access access = new PageTable.Access();
  private final Arena arena = Arena.ofShared();
  private final long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);

  /** By number of the directory page, its LSN when it was last read. */
  private final Map<Integer, Long> seen = new HashMap<>();

  private final BitSet known = new BitSet();

  /** In no use, but perhaps not deleted in the index yet. */
  private final List<Integer> found = new ArrayList<>();

  /** Deleted in the index, but perhaps not on disk yet. */
  private final List<Integer> left = new ArrayList<>();

  DeletedSpaces(
      PageTable table, PageIndex index, DamagedPages damaged, PageStoreCounters counters) {
    this.table = table;
    this.index = index;
    this.damaged = damaged;
    this.counters = counters;
  }

  /**
   * Deletes the pages of spaces of which RocksDB's directory says that they are in no use.
   *
   * @return whether there were any
   * @throws GaussException IO_ERROR, 53100; the next call continues
   */
  boolean update() {
    int number = SpaceDirectoryLayout.FIRST_PAGE;
    while (number < SpaceDirectoryLayout.FIRST_PAGE + SpaceDirectoryLayout.PAGES && look(number)) {
      number++;
    }
    boolean any = !found.isEmpty();
    if (any) {
      index.lock.lock();
      try {
        index.delete(found);
      } finally {
        index.lock.unlock();
      }
      left.addAll(found);
      found.clear();
    }
    boolean deleted = false;
    while (!left.isEmpty()) {
      int space = left.getLast();
      if (table.deleteSpace(space)) {
        counters.spacesDeleted.increment();
        deleted = true;
      }
      damaged.deleted(space);
      left.removeLast();
    }
    if (deleted) {
      table.reclaim();
    }
    return any;
  }

  /** Adds what a directory page says anew; false behind the last one. */
  private boolean look(int number) {
    long pageId = PageId.of(SpaceDirectoryLayout.SPACE, number);
    long lsn;
    try {
      lsn = table.read(access, pageId, page);
    } catch (GaussException e) {
      if (e.state() != SqlState.DATA_CORRUPTED) {
        throw e;
      }
      damaged.failed(pageId, e); // it is repaired, and read again then
      return true;
    }
    if (PageView.type(page) != PageType.SPACE_DIRECTORY) {
      return false;
    }
    Long before = seen.put(number, lsn);
    if (before == null || before != lsn) {
      int first = (number - SpaceDirectoryLayout.FIRST_PAGE) * SpaceDirectoryLayout.SPACES;
      // The system space has the directory itself and the catalog: nothing can drop it.
      int user = Math.max(first, SpaceDirectoryLayout.SPACE + 1);
      for (int space = user; space < first + SpaceDirectoryLayout.SPACES; space++) {
        if (SpaceDirectoryLayout.state(page, space) == SpaceDirectoryLayout.UNNEEDED
            && !known.get(space)) {
          known.set(space);
          found.add(space);
        }
      }
    }
    return true;
  }

  @Override
  public void close() {
    arena.close();
  }
}
