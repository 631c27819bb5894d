package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.redo.MtrLayout;
import java.lang.foreign.Arena;
import org.agrona.collections.LongArrayList;

/**
 * Folds a chain of records into a page, in private memory: a record that cannot be applied leaves
 * the page in the store unchanged. Each folding thread has one; not thread-safe.
 *
 * <p>The rule (law 5, rule 27): in LSN order a record is skipped when the page has its LSN or a
 * higher one, applied when the page has exactly the record's previous LSN or when the record builds
 * the page from nothing, and otherwise kept: it is parked. A record that builds the page discards
 * the parked ones before it.
 */
final class PageFold {
  final PageTable.Access access = new PageTable.Access();

  private final PageApply apply;
  private final LongArrayList records = new LongArrayList();
  private final LongArrayList parked = new LongArrayList();

  /** Keeps the memory of {@link #page} alive. */
  private final Arena arena = Arena.ofAuto();

  /** The page that is folded; 8 KiB. */
  final long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);

  /** The records that were detached from the page's entry. */
  long chain;

  long chainEnd;
  int chainBytes;
  boolean unsorted;

  /** Highest LSN of the page when the chain was detached. */
  long chainTailLsn;

  private long lsn;
  private int applied;
  private boolean replaced;

  PageFold(PageApply apply) {
    this.apply = apply;
  }

  /**
   * Folds the chain into the page, whose LSN is {@code pageLsn}.
   *
   * @param mayPark false when a record that follows one of its own node and does not join is an
   *     error, since no other stream can deliver the missing one
   * @throws GaussException XX001 in that case
   */
  void fold(long pageId, long pageLsn, boolean mayPark) {
    records.clear();
    parked.clear();
    lsn = pageLsn;
    applied = 0;
    replaced = false;
    RecordBlocks.collect(chain, records);
    if (unsorted) {
      sort(records);
    }
    for (int i = 0; i < records.size(); i++) {
      long at = records.getLong(i);
      long recordLsn = Memory.getLong(at + RecordBlocks.RECORD_LSN);
      if (recordLsn <= lsn) {
        continue;
      }
      long record = at + RecordBlocks.RECORD;
      boolean starts = apply.startsPage(MtrLayout.recordType(record));
      if (!starts && MtrLayout.recordPrevPageLsn(record) != lsn) {
        if (!mayPark
            && parked.isEmpty()
            && Lsn.node(MtrLayout.recordPrevPageLsn(record)) == Lsn.node(recordLsn)) {
          throw new GaussException(
              SqlState.DATA_CORRUPTED,
              "page "
                  + PageId.toString(pageId)
                  + " has LSN "
                  + Lsn.toString(lsn)
                  + ", but record "
                  + Lsn.toString(recordLsn)
                  + " follows "
                  + Lsn.toString(MtrLayout.recordPrevPageLsn(record)));
        }
        parked.addLong(at);
        continue;
      }
      if (starts) {
        parked.clear();
      }
      apply.apply(page, record, recordLsn, Memory.getInt(at + RecordBlocks.RECORD_STREAM));
      Invariant.check(
          Memory.getLong(page + PageLayout.LSN) == recordLsn, "apply did not set the page's LSN");
      lsn = recordLsn;
      applied++;
    }
  }

  /** The page was overwritten by an image that contains all the records of the chain. */
  void replaced(long imageLsn) {
    parked.clear();
    lsn = imageLsn;
    applied = 0;
    replaced = true;
  }

  /** Whether folding has changed the page. */
  boolean isChanged() {
    return replaced || applied > 0;
  }

  /** LSN of the page after folding. */
  long lsn() {
    return lsn;
  }

  /** How many records were applied. */
  int applied() {
    return applied;
  }

  /** Addresses in the chain of the records that were not applied. */
  LongArrayList parked() {
    return parked;
  }

  /** Insertion sort by LSN: chains are short and nearly sorted. */
  static void sort(LongArrayList records) {
    for (int i = 1; i < records.size(); i++) {
      long at = records.getLong(i);
      long key = Memory.getLong(at + RecordBlocks.RECORD_LSN);
      int j = i - 1;
      while (j >= 0 && Memory.getLong(records.getLong(j) + RecordBlocks.RECORD_LSN) > key) {
        records.setLong(j + 1, records.getLong(j));
        j--;
      }
      records.setLong(j + 1, at);
    }
  }
}
