package io.gauss.compute.store;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.OverflowPage;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.EngineContext;
import io.gauss.compute.engine.WouldBlockException;
import io.gauss.compute.log.Mtr;
import io.gauss.compute.log.PageRecords;
import io.gauss.compute.space.Spaces;

/**
 * Rows too long for a leaf, in chains of pages of the tree's space. A chain is written before the
 * leaf record that refers to it, one MTR a page from the last to the first, is never changed (rule
 * 26), and is freed when the version it belongs to is rolled back or purged. A crash between
 * writing a chain and its leaf record leaves pages that nobody refers to.
 *
 * <p>Stateless but for its collaborators; thread-safe. No latch may be held by callers.
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

  /** Writes a chain; returns its first page's number. */
  int write(StoreSession session, int space, byte[] row, int offset, int length) {
    EngineContext ctx = session.ctx;
    if (length > MAX_ROW_BYTES) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED,
          "row of " + length + " bytes exceeds the maximum of " + MAX_ROW_BYTES);
    }
    if (!ctx.mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    int next = 0;
    boolean done = false;
    try {
      int end = length;
      while (end > 0) {
        int start = (end - 1) / OverflowPage.MAX_DATA * OverflowPage.MAX_DATA;
        next = writePage(session, space, next, row, offset + start, end - start);
        end = start;
      }
      done = true;
      return next;
    } finally {
      if (!done && next != 0) {
        free(session, space, next);
      }
    }
  }

  private int writePage(
      StoreSession session, int space, int next, byte[] row, int offset, int length) {
    EngineContext ctx = session.ctx;
    int number = spaces.reserve(ctx, space);
    long pageId = PageId.of(space, number);
    Mtr mtr = ctx.mtr();
    PageGuard guard = session.overflowGuard;
    boolean used = false;
    try {
      mtr.begin(PageLayout.PAGE_BYTES + 256);
      pool.write(ctx, pageId, guard);
      PageRecords.format(mtr, guard, PageType.OVERFLOW, 0, 0, next);
      PageRecords.startWrite(mtr, guard, OverflowPage.LENGTH);
      mtr.putShort(length);
      mtr.putBytes(row, offset, length);
      mtr.endRecord();
      mtr.commit();
      used = true;
    } finally {
      guard.close();
      mtr.abandon();
      if (used) {
        pool.unpin(pageId);
      } else {
        spaces.unreserve(ctx, space, number);
      }
    }
    return number;
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
        Memory.copy(page + OverflowPage.DATA, to + done, bytes);
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
        Memory.copyOut(page + OverflowPage.DATA, to, done, bytes);
        done += bytes;
        number = PageView.rightSibling(page);
      } finally {
        guard.close();
      }
    }
  }

  /** Gives the pages of a chain back. Nobody may be able to reach them any more. */
  void free(StoreSession session, int space, int first) {
    PageGuard guard = session.overflowGuard;
    int number = first;
    while (number != 0) {
      int next;
      pool.read(session.ctx, PageId.of(space, number), guard);
      try {
        long page = guard.address();
        if (PageView.type(page) != PageType.OVERFLOW) {
          return;
        }
        next = PageView.rightSibling(page);
      } finally {
        guard.close();
      }
      spaces.free(session.ctx, space, number);
      number = next;
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
