package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.agrona.collections.LongArrayList;

/**
 * Merges the image of another page store ({@link PagesImage}) into this one, while this store
 * continues to take records of other streams and to answer reads (rule 29). Of each page the
 * version with the higher LSN stays. It contains all changes of the other version, since the
 * versions of a page form a single sequence (law 5, LSNs order). Waiting records stay, and are
 * dropped where the page now contains them. When all pages are durable, the streams' offsets rise
 * to the higher of both.
 *
 * <p>A crash before that leaves the offsets as they were. Pages may then be ahead of them, as they
 * may be at any time: replay skips records that a page contains. So the merge may be repeated.
 *
 * <p>Why the offsets are right: up to the image's offset of a stream the image's pages have all of
 * its records, and up to this store's own, this store's pages. A page here is at least as new as
 * both, so it has all records up to the higher offset. This holds for each stream separately.
 *
 * <p>For one thread at a time.
 */
public final class PagesInstall {
  private final PageIndex index;
  private final PageRoom room;
  private final PageTable table;
  private final PageStoreCounters counters;
  private final PageFold fold;
  private final ReentrantLock checkpointing;
  private final Runnable deleteSpaces;
  private final LongConsumer look;
  private final Runnable changed;

  /**
   * Installs into the store that consists of these parts.
   *
   * @param checkpointing held while offsets are written
   * @param deleteSpaces deletes the pages of spaces that are in no use, while {@code checkpointing}
   *     is held
   * @param look determines which records of a page join
   * @param changed called when waiting reads may continue
   */
  PagesInstall(
      PageIndex index,
      PageRoom room,
      PageTable table,
      PageStoreCounters counters,
      PageFold fold,
      ReentrantLock checkpointing,
      Runnable deleteSpaces,
      LongConsumer look,
      Runnable changed) {
    this.index = index;
    this.room = room;
    this.table = table;
    this.counters = counters;
    this.fold = fold;
    this.checkpointing = checkpointing;
    this.deleteSpaces = deleteSpaces;
    this.look = look;
    this.changed = changed;
  }

  /**
   * Takes a page of the image, if it is newer than the page here.
   *
   * @param image address of the page from the image, with its checksum; overwritten
   * @throws GaussException XX001 when the page, or the one here, is damaged; 53100 when the disk is
   *     full; IO_ERROR
   */
  public void page(long pageId, long image) {
    table.check(fold.access, pageId, image);
    PageEntry entry;
    index.lock.lock();
    try {
      if (room.isClosed()) {
        throw new IllegalStateException("the page store is closed");
      }
      if (index.isDeleted(pageId)) {
        return;
      }
      entry = index.claimOrAdd(pageId);
      index.detach(entry, fold);
    } finally {
      index.lock.unlock();
    }
    boolean done = false;
    try {
      merge(entry, image);
      done = true;
    } finally {
      leave(entry, done);
    }
    changed.run();
  }

  private void merge(PageEntry entry, long image) {
    long imageLsn = Memory.getLong(image + PageLayout.LSN);
    long lsn;
    if (entry.image != 0) {
      Memory.copy(entry.image, fold.page, PageLayout.PAGE_BYTES);
      lsn = entry.imageLsn;
    } else {
      lsn = table.read(fold.access, entry.pageId, fold.page);
    }
    boolean newer = imageLsn > lsn;
    if (newer) {
      Memory.copy(image, fold.page, PageLayout.PAGE_BYTES);
      lsn = imageLsn;
    }
    fold.fold(entry.pageId, lsn, true);
    // Also a page that was newer in memory here: the offsets, written last, rely on RocksDB having
    // it.
    if (newer || fold.isChanged() || entry.dirty) {
      table.write(fold.access, entry.pageId, fold.page);
      counters.pagesWritten.increment();
    }
  }

  private void leave(PageEntry entry, boolean done) {
    index.lock.lock();
    try {
      if (done) {
        room.visited(index.finish(entry, fold, true));
      } else {
        index.giveBack(entry, fold);
        index.abandon(entry);
      }
      index.release(entry);
    } finally {
      index.lock.unlock();
    }
  }

  /**
   * All pages of the image have been taken: makes them durable, and with them its offsets where
   * these are higher than this store's.
   *
   * @throws GaussException XX001 when the pages lack a record below an offset, 53100, IO_ERROR; the
   *     offsets are then unchanged
   */
  public void finish(Map<Integer, Long> offsets) {
    checkpointing.lock();
    try {
      if (room.isClosed()) {
        throw new IllegalStateException("the page store is closed");
      }
      // The image lacks the pages of spaces that were deleted there; its directory tells which.
      deleteSpaces.run();
      Map<Integer, Long> higher = new TreeMap<>(offsets);
      higher.entrySet().removeIf(e -> e.getValue() <= checkpointed(e.getKey()));
      List<StreamProgress> streams = new ArrayList<>();
      higher.keySet().forEach(id -> streams.add(index.stream(id)));
      raise(streams, higher);
      checkNothingIsMissing(higher);
      table.checkpoint(higher);
      streams.forEach(stream -> stream.checkpointed = higher.get(stream.stream));
    } finally {
      checkpointing.unlock();
    }
    changed.run();
  }

  private long checkpointed(int id) {
    StreamProgress stream = index.streams.get(id);
    return stream == null ? 0 : stream.checkpointed;
  }

  /** From now on records below the offsets are not taken. */
  private void raise(List<StreamProgress> streams, Map<Integer, Long> offsets) {
    index.lock.lock();
    try {
      for (StreamProgress stream : streams) {
        stream.taken = Math.max(stream.taken, offsets.get(stream.stream));
      }
      index.updateApplied();
    } finally {
      index.lock.unlock();
    }
  }

  /**
   * A waiting record below its stream's new offset would be lost at the next start. A page that was
   * taken just now may be parked only until it is checked.
   */
  private void checkNothingIsMissing(Map<Integer, Long> offsets) {
    LongArrayList parked = parkedBelow(offsets);
    parked.forEachLong(look);
    LongArrayList missing = parkedBelow(offsets);
    if (!missing.isEmpty()) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "pages that were fetched as of "
              + offsets
              + " do not have all that was done before: page "
              + PageId.toString(missing.getLong(0)));
    }
  }

  private LongArrayList parkedBelow(Map<Integer, Long> offsets) {
    LongArrayList pages = new LongArrayList();
    index.lock.lock();
    try {
      index.collectParkedBelow(offsets, pages);
    } finally {
      index.lock.unlock();
    }
    return pages;
  }
}
