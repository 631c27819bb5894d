package io.gauss.compute.store;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.OverflowPage;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;
import io.gauss.compute.space.Spaces;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.wait.WouldBlockException;
import org.agrona.collections.IntArrayList;

/**
 * Rows too long for a leaf, in chains of pages of the tree's space. A chain is written before the
 * leaf record that refers to it, one MTR per page from the last to the first; it is never changed
 * (rule 26), and is freed when the version to which it belongs is rolled back or purged. Each
 * page's MTR has an undo record, so that a rollback frees the written pages, whether or not a leaf
 * record refers to them; a purge uses the {@link io.gauss.compute.txn.undo.PurgeList}. Pages are
 * freed from a chain's last to its first, and only while their LSN shows that they still belong to
 * the chain, so that an interrupted operation can be repeated from the beginning.
 *
 * <p>Stateless except for its collaborators; thread-safe. Callers may hold no latch.
 */
final class OverflowRows {
  /** Longest row, in bytes. */
  static final int MAX_ROW_BYTES = 64 << 20;

  private final BufferPool pool;
  private final Spaces spaces;

  OverflowRows(BufferPool pool, Spaces spaces) {
    this.pool = pool;
    this.spaces = spaces;
  }

  /** Writes a chain of a transaction; returns its first page's number. */
  int write(Transaction txn, StoreSession session, int space, byte[] row, int offset, int length) {
    EngineContext ctx = session.ctx;
    if (length > MAX_ROW_BYTES) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED,
          "row of " + length + " bytes exceeds the maximum of " + MAX_ROW_BYTES);
    }
    if (!ctx.waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    int next = 0;
    boolean done = false;
    try {
      int end = length;
      while (end > 0) {
        int start = (end - 1) / OverflowPage.MAX_DATA * OverflowPage.MAX_DATA;
        next = writePage(txn, session, space, next, row, offset + start, end - start);
        end = start;
      }
      done = true;
      return next;
    } finally {
      if (!done && next != 0) {
        free(session, space, next, Long.MAX_VALUE);
      }
    }
  }

  private int writePage(
      Transaction txn,
      StoreSession session,
      int space,
      int next,
      byte[] row,
      int offset,
      int length) {
    EngineContext ctx = session.ctx;
    int number = spaces.reserve(ctx, space);
    long pageId = PageId.of(space, number);
    boolean used = false;
    try {
      while (!used) {
        used = tryWritePage(txn, session, pageId, next, row, offset, length);
      }
    } finally {
      if (used) {
        pool.unpin(pageId);
      } else {
        spaces.unreserve(ctx, space, number);
      }
    }
    return number;
  }

  /** False when another node reads the undo page: it is retained for the next attempt. */
  private boolean tryWritePage(
      Transaction txn,
      StoreSession session,
      long pageId,
      int next,
      byte[] row,
      int offset,
      int length) {
    EngineContext ctx = session.ctx;
    Mtr mtr = ctx.mtr();
    PageGuard guard = session.overflowGuard;
    txn.prepareUndo(LeafRecords.UNDO_BYTES + UndoContentLayout.OVERFLOW_PAGE_BYTES);
    try {
      mtr.begin(PageLayout.PAGE_BYTES + 512);
      pool.write(ctx, pageId, guard);
      PageRecords.format(mtr, guard, PageType.OVERFLOW, 0, 0, next);
      PageRecords.startWrite(mtr, guard, OverflowPage.LENGTH);
      OverflowPage.put(mtr, row, offset, length);
      mtr.endRecord();
      // Last, so that the page's LSN is below that of the undo record.
      txn.startUndo(mtr);
      LeafRecords.putInsertUndo(mtr, UndoContentLayout.KIND_OVERFLOW, PageId.space(pageId), 0);
      mtr.putInt(PageId.number(pageId));
      txn.endUndo(mtr);
      mtr.commit();
      return true;
    } catch (PageAwayException e) {
      return false;
    } finally {
      guard.close();
      txn.releaseUndo();
      mtr.abandon();
    }
  }

  /** Reads a chain into off-heap memory that holds {@code length} bytes. */
  void read(StoreSession session, int space, int first, long to, int length) {
    PageGuard guard = session.overflowGuard;
    int done = 0;
    int number = first;
    while (done < length) {
      if (number == 0) {
        throw broken(space, first, done, length);
      }
      pool.read(session.ctx, PageId.of(space, number), guard);
      try {
        long page = guard.address();
        int bytes = OverflowPage.length(page);
        if (PageView.type(page) != PageType.OVERFLOW || bytes == 0 || done + bytes > length) {
          throw broken(space, first, done, length);
        }
        Memory.copy(OverflowPage.data(page), to + done, bytes);
        done += bytes;
        number = PageView.rightSibling(page);
      } finally {
        guard.close();
      }
    }
  }

  /** Reads a chain into an array. */
  void read(StoreSession session, int space, int first, byte[] to, int length) {
    PageGuard guard = session.overflowGuard;
    int done = 0;
    int number = first;
    while (done < length) {
      if (number == 0) {
        throw broken(space, first, done, length);
      }
      pool.read(session.ctx, PageId.of(space, number), guard);
      try {
        long page = guard.address();
        int bytes = OverflowPage.length(page);
        if (PageView.type(page) != PageType.OVERFLOW || bytes == 0 || done + bytes > length) {
          throw broken(space, first, done, length);
        }
        Memory.copyOut(OverflowPage.data(page), to, done, bytes);
        done += bytes;
        number = PageView.rightSibling(page);
      } finally {
        guard.close();
      }
    }
  }

  /**
   * Gives back the pages of a chain, from the last to the first, or the rest of them if that was
   * begun before. They must no longer be reachable.
   *
   * @param below pages are of the chain while their LSN is below this
   */
  void free(StoreSession session, int space, int first, long below) {
    IntArrayList pages = new IntArrayList();
    int number = first;
    while (number != 0) {
      int next = next(session, space, number, below);
      if (next == NOT_OF_CHAIN) {
        break;
      }
      pages.pushInt(number);
      number = next;
    }
    while (!pages.isEmpty()) {
      spaces.free(session.ctx, space, pages.popInt());
    }
  }

  /**
   * Gives back one page of a chain, unless that was done before.
   *
   * @param below as of {@link #free}
   */
  void freePage(StoreSession session, int space, int number, long below) {
    if (next(session, space, number, below) != NOT_OF_CHAIN) {
      spaces.free(session.ctx, space, number);
    }
  }

  private static final int NOT_OF_CHAIN = -1;

  /** The page behind one in its chain, 0 = none, or {@link #NOT_OF_CHAIN}. */
  private int next(StoreSession session, int space, int number, long below) {
    PageGuard guard = session.overflowGuard;
    pool.read(session.ctx, PageId.of(space, number), guard);
    try {
      long page = guard.address();
      return PageView.type(page) == PageType.OVERFLOW && PageView.lsn(page) < below
          ? PageView.rightSibling(page)
          : NOT_OF_CHAIN;
    } finally {
      guard.close();
    }
  }

  private static GaussException broken(int space, int first, int done, int length) {
    return new GaussException(
        SqlState.DATA_CORRUPTED,
        "overflow chain at page "
            + PageId.toString(PageId.of(space, first))
            + " ends after "
            + done
            + " of "
            + length
            + " bytes");
  }
}
