package io.gauss.compute.txn.undo;

import io.gauss.common.fault.FaultPoints;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.UndoSpaces;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;

/**
 * Reads undo records by pointer: page, slot and the record's LSN (rule 23). Other nodes' pages come
 * with a right to read them. That costs a message to the page's home, one from there to the owner,
 * and the page; when the owner writes there again, it costs the owner a message to each reader and
 * back. A copy is made at once, so that reading progresses while another node writes. Thread-safe.
 */
public final class UndoReader {
  private final BufferPool pool;
  private volatile UndoFetch fetch = UndoFetch.NEVER_NEEDED;

  public UndoReader(BufferPool pool) {
    this.pool = pool;
  }

  /** How old copies of other nodes' undo pages are replaced. */
  public void fetch(UndoFetch newerCopies) {
    this.fetch = newerCopies;
  }

  /**
   * Latches the undo page shared and returns the address of the record, which is valid while the
   * guard is held, or until the next {@link #load} if the guard is empty because the session has a
   * copy of the page; 0 when the page is not resident, its latch is taken, or the copy here is too
   * old: release other latches, {@link #load}, and retry.
   *
   * @param xid of the version whose undo pointer this is, which identifies the slot of the undo
   * @throws io.gauss.common.error.GaussException 72000 when the record was overwritten (rule 23)
   */
  public long tryRecord(
      EngineContext ctx, PageGuard guard, long xid, int page, int slot, long lsn) {
    long id = pageId(xid, page);
    UndoCopy copy = UndoCopy.of(ctx);
    long copied = copy == null ? 0 : copy.page(id);
    if (copied != 0 && PageView.lsn(copied) >= lsn) {
      long record = find(copied, slot, lsn);
      if (record == 0) {
        throw fetch.overwritten(id, slot, lsn);
      }
      return record;
    }
    if (!pool.tryRead(ctx, id, guard)) {
      return 0;
    }
    long record = find(guard.address(), slot, lsn);
    if (record == 0) {
      boolean old = PageView.lsn(guard.address()) < lsn;
      guard.close();
      if (old) {
        return 0;
      }
      throw fetch.overwritten(id, slot, lsn);
    }
    return record;
  }

  private static long pageId(long xid, int page) {
    return PageId.of(UndoSpaces.ofXid(xid), page);
  }

  /** Address of the record at {@code slot} if it is the one with this LSN, else 0. */
  static long find(long page, int slot, long lsn) {
    if (PageView.type(page) != PageType.UNDO || slot >= UndoPage.slotCount(page)) {
      return 0;
    }
    long record = UndoPage.record(page, slot);
    return Memory.getLong(record + UndoRecordLayout.LSN) == lsn ? record : 0;
  }

  /**
   * Brings the page into memory, at least as it was when the record was written; may wait, so no
   * latch may be held.
   */
  public void load(EngineContext ctx, long xid, int page, long lsn) {
    FaultPoints.hit("undo.load");
    long id = pageId(xid, page);
    pool.pin(ctx, id);
    try (PageGuard guard = new PageGuard()) {
      pool.read(ctx, id, guard);
      if (PageView.lsn(guard.address()) >= lsn) {
        if (pool.isShared()) {
          UndoCopy.keep(ctx, id, guard.address());
        }
        return;
      }
    } finally {
      pool.unpin(id);
    }
    fetch.fetch(ctx, id, lsn);
  }

  /** Length of a record that {@link #tryRecord} returned. */
  public int recordLength(EngineContext ctx, PageGuard guard, long xid, int page, int slot) {
    long at = guard.isHeld() ? guard.address() : UndoCopy.of(ctx).page(pageId(xid, page));
    return UndoPage.recordLength(at, slot);
  }
}
