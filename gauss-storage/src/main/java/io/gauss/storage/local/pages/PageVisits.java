package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.storage.api.DurableImages;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations on one page at a time: the page is claimed, folded without the index's lock, copied
 * out or written, and given back. A failed fold or write leaves records and image unchanged.
 *
 * <p>Thread-safe; threads that use the same page wait for each other.
 */
final class PageVisits {
  private static final Logger LOG = LoggerFactory.getLogger(PageVisits.class);

  private final PageIndex index;
  private final PageTable table;
  private final PageApply apply;
  private final DamagedPages damaged;
  private final PageStoreCounters counters;

  /** Spare working memory of threads that fold; guarded by the index's lock. */
  private final ArrayDeque<PageFold> folds = new ArrayDeque<>();

  private volatile DurableImages standIns = (pageId, destination) -> Lsn.NONE;
  private Consumer<Boolean> visited = kept -> {};
  private Runnable left = () -> {};

  PageVisits(
      PageIndex index,
      PageTable table,
      PageApply apply,
      DamagedPages damaged,
      PageStoreCounters counters) {
    this.index = index;
    this.table = table;
    this.apply = apply;
    this.damaged = damaged;
    this.counters = counters;
  }

  /**
   * Sets the callbacks after each visit; to be called before the first visit.
   *
   * @param afterFold receives whether the folded page could be kept; the index's lock is held
   * @param afterwards called without the lock
   */
  void onLeaving(Consumer<Boolean> afterFold, Runnable afterwards) {
    visited = afterFold;
    left = afterwards;
  }

  /** From now on images of this source may replace folding. */
  void standIn(DurableImages images) {
    standIns = images;
  }

  /** Copies the page out; returns its LSN. */
  long read(long pageId, long destination) {
    return visit(pageId, Purpose.READ, destination);
  }

  /** Determines which of the page's records join. */
  void look(long pageId) {
    visit(pageId, Purpose.LOOK, 0);
  }

  /** Folds the page's records into an image, or writes the page when there is no room for one. */
  void fold(long pageId) {
    visit(pageId, Purpose.FOLD, 0);
  }

  /** Writes the page to RocksDB if RocksDB lacks it. */
  void write(long pageId) {
    visit(pageId, Purpose.WRITE, 0);
  }

  private enum Purpose {
    READ,
    LOOK,
    FOLD,
    WRITE
  }

  /**
   * Folds the present records of a page.
   *
   * @param destination address to which READ copies the page
   * @return the page's LSN; unspecified unless READ
   */
  private long visit(long pageId, Purpose purpose, long destination) {
    try {
      long lsn = visitOnce(pageId, purpose, destination);
      damaged.succeeded(pageId);
      return lsn;
    } catch (GaussException e) {
      damaged.failed(pageId, e);
      throw e;
    }
  }

  private long visitOnce(long pageId, Purpose purpose, long destination) {
    PageFold fold;
    PageEntry entry;
    index.lock.lock();
    try {
      entry = index.claim(pageId);
      if (entry == null && purpose != Purpose.READ) {
        return Lsn.NONE;
      }
      if (entry != null && !entry.hasRecords()) {
        boolean copied = purpose == Purpose.READ && entry.image != 0;
        if (copied) {
          index.copyOut(entry, destination);
        }
        if (copied
            || purpose == Purpose.LOOK
            || purpose == Purpose.FOLD
            || (purpose == Purpose.WRITE && !entry.dirty)) {
          long lsn = entry.imageLsn;
          index.release(entry);
          return lsn;
        }
      }
      fold = folds.isEmpty() ? new PageFold(apply) : folds.pop();
      if (entry != null) {
        index.detach(entry, fold);
      }
    } finally {
      index.lock.unlock();
    }
    if (entry == null) {
      return load(fold, pageId, destination);
    }
    boolean done = false;
    boolean written = false;
    try {
      boolean mayStandIn = purpose == Purpose.FOLD || purpose == Purpose.WRITE;
      if (!mayStandIn || !standIn(fold, entry)) {
        foldInto(fold, entry);
      }
      if (purpose == Purpose.WRITE || (purpose == Purpose.FOLD && !reserveImage(entry))) {
        put(fold, entry);
        written = true;
      }
      if (purpose == Purpose.READ) {
        Memory.copy(fold.page, destination, PageLayout.PAGE_BYTES);
      }
      done = true;
      return fold.lsn();
    } finally {
      leave(entry, fold, done, written);
    }
  }

  /** Reads a page without state in memory. */
  private long load(PageFold fold, long pageId, long destination) {
    try {
      counters.pagesLoaded.increment();
      return table.read(fold.access, pageId, destination);
    } finally {
      index.lock.lock();
      try {
        folds.push(fold);
      } finally {
        index.lock.unlock();
      }
    }
  }

  /**
   * Takes the page from the source that has its newest image, instead of folding. The image may be
   * ahead of the records that were taken so far; those that arrive later are skipped.
   */
  private boolean standIn(PageFold fold, PageEntry entry) {
    if (entry.gap) {
      return false;
    }
    long lsn = standIns.copy(entry.pageId, fold.page);
    if (lsn == Lsn.NONE || lsn < fold.chainTailLsn) {
      return false;
    }
    fold.replaced(lsn);
    counters.pagesStoodIn.increment();
    return true;
  }

  private void foldInto(PageFold fold, PageEntry entry) {
    long lsn;
    if (entry.image != 0) {
      Memory.copy(entry.image, fold.page, PageLayout.PAGE_BYTES);
      lsn = entry.imageLsn;
    } else {
      lsn = table.read(fold.access, entry.pageId, fold.page);
      counters.pagesLoaded.increment();
    }
    fold.fold(entry.pageId, lsn, index.streams.size() > 1);
    counters.foldCount.increment();
    counters.foldedRecords.add(fold.applied());
  }

  private boolean reserveImage(PageEntry entry) {
    index.lock.lock();
    try {
      return index.attachImage(entry);
    } finally {
      index.lock.unlock();
    }
  }

  /** Writes the folded page if RocksDB lacks it. */
  private void put(PageFold fold, PageEntry entry) {
    if (fold.isChanged() || entry.dirty) {
      table.write(fold.access, entry.pageId, fold.page);
      counters.pagesWritten.increment();
    }
  }

  private void leave(PageEntry entry, PageFold fold, boolean done, boolean written) {
    index.lock.lock();
    try {
      if (done) {
        visited.accept(index.finish(entry, fold, written));
      } else {
        index.giveBack(entry, fold);
      }
      index.release(entry);
      folds.push(fold);
    } finally {
      index.lock.unlock();
    }
    left.run();
  }

  /** See {@link LocalPageStore#repair}. */
  long repair(long pageId, long copy) {
    PageFold fold;
    PageEntry entry;
    index.lock.lock();
    try {
      if (index.isDeleted(pageId)) {
        damaged.succeeded(pageId);
        return Lsn.NONE;
      }
      entry = index.claimOrAdd(pageId);
      fold = folds.isEmpty() ? new PageFold(apply) : folds.pop();
      index.detach(entry, fold);
    } finally {
      index.lock.unlock();
    }
    boolean done = false;
    try {
      boolean isDamaged = !isReadable(fold, entry);
      if (isDamaged) {
        Memory.copy(copy, fold.page, PageLayout.PAGE_BYTES);
        Memory.putInt(fold.page + PageLayout.CHECKSUM, 0);
        fold.fold(pageId, Memory.getLong(copy + PageLayout.LSN), true);
      }
      table.write(fold.access, pageId, fold.page);
      done = true;
      if (isDamaged) {
        counters.pagesRepaired.increment();
      }
    } finally {
      leave(entry, fold, done, done);
    }
    damaged.succeeded(pageId);
    return fold.lsn();
  }

  /** Folds the page, if that is possible after all. */
  private boolean isReadable(PageFold fold, PageEntry entry) {
    try {
      foldInto(fold, entry);
      return true;
    } catch (GaussException e) {
      if (e.state() != SqlState.DATA_CORRUPTED) {
        throw e;
      }
      LOG.debug("as was to be expected", e);
      return false;
    }
  }
}
