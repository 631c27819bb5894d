package io.gauss.compute.txn.undo;

import io.gauss.common.id.Xid;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PurgeListLayout;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;

/**
 * Adds entries to the {@link PurgeList}, or erases one, as part of another component's
 * mini-transaction. For one attempt: prepared before latches, and closed after the MTR was
 * committed or abandoned; the page itself shows which, since pages change only at commit. One
 * thread.
 */
public final class PurgeNote implements AutoCloseable {
  private static final int[] NO_PLACES = {};

  private final PurgeList list;
  private final EngineContext ctx;
  private final int listPage;
  private final int[] places;
  private final PurgeList.Entry erased; // null when entries are added
  private final long[] noted;
  private final long[] after; // 0 = from its LSN on
  private final PageGuard guard = new PageGuard();
  private int used;
  private boolean isErasing;

  PurgeNote(PurgeList list, EngineContext ctx, int listPage, int[] places) {
    this.list = list;
    this.ctx = ctx;
    this.listPage = listPage;
    this.places = places;
    this.erased = null;
    this.noted = new long[places.length];
    this.after = new long[places.length];
  }

  PurgeNote(PurgeList list, EngineContext ctx, PurgeList.Entry erased) {
    this.list = list;
    this.ctx = ctx;
    this.listPage = erased.listPage();
    this.places = NO_PLACES;
    this.erased = erased;
    this.noted = new long[0];
    this.after = new long[0];
  }

  long listPageId() {
    return list.segments().id(listPage);
  }

  /** Number of entries that can still be added. */
  public int left() {
    return places.length - used;
  }

  /**
   * Adds an entry. After the records of the MTR that change the page, whose LSNs have to be below
   * the entry's.
   *
   * @param pageId a page, or the first one of an overflow chain
   * @param xid transaction because of which the page may not be reused until every snapshot sees
   *     its end, {@link Xid#NONE} when that does not depend on one
   * @throws io.gauss.compute.buffer.PageAwayException when another node reads the list: start over
   */
  public void add(Mtr mtr, long pageId, long xid) {
    latch();
    int index = mtr.nextIndex();
    start(mtr, pageId, xid);
    mtr.putLsnOf(index);
    mtr.endRecord();
    used++;
  }

  /** Adds an entry of another list, of a transaction that is over. */
  void adopt(Mtr mtr, PurgeList.Entry entry) {
    latch();
    start(mtr, entry.pageId(), Xid.NONE);
    mtr.putLong(entry.lsn());
    mtr.endRecord();
    after[used] = list.segments().clock().now();
    used++;
  }

  private void start(Mtr mtr, long pageId, long xid) {
    mtr.startRecord(guard, RedoType.WRITE);
    mtr.putShort(PurgeListLayout.entry(places[used]));
    mtr.putLong(pageId);
    mtr.putLong(xid);
    noted[used] = pageId;
  }

  /** Erases the entry; false when it is erased already, and nothing was added to the MTR. */
  public boolean erase(Mtr mtr) {
    latch();
    isErasing = isThere();
    if (!isErasing) {
      return false;
    }
    PurgeList.putErasure(mtr, guard, erased.index());
    return true;
  }

  private boolean isThere() {
    long at = guard.address() + PurgeListLayout.entry(erased.index());
    return Memory.getLong(at + PurgeListLayout.PAGE) == erased.pageId()
        && Memory.getLong(at + PurgeListLayout.LSN) == erased.lsn();
  }

  private void latch() {
    if (!guard.isHeld()) {
      list.segments().pool().write(ctx, listPageId(), guard);
    }
  }

  @Override
  public void close() {
    try {
      if (guard.isHeld() && erased == null) {
        publish();
      } else if (isErasing && !isThere()) {
        list.erased(erased);
      }
    } finally {
      guard.close();
      list.segments().pool().unpin(listPageId());
      giveUp();
    }
  }

  private void publish() {
    for (int i = 0; i < used; i++) {
      long at = guard.address() + PurgeListLayout.entry(places[i]);
      if (Memory.getLong(at + PurgeListLayout.PAGE) == noted[i]) {
        long xid = Memory.getLong(at + PurgeListLayout.XID);
        long lsn = Memory.getLong(at + PurgeListLayout.LSN);
        long from = Math.max(lsn, after[i]);
        list.published(new PurgeList.Entry(noted[i], xid, lsn, from, listPage, places[i]));
        places[i] = -1;
      }
    }
  }

  /** Gives back the places that were not used. */
  void giveUp() {
    for (int place : places) {
      if (place >= 0) {
        list.release(listPage, place);
      }
    }
  }
}
