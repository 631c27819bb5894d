package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.id.Xid;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.txn.undo.UndoApplier;
import io.gauss.compute.txn.undo.UndoProbe;
import io.gauss.compute.txn.undo.UndoStep;
import java.util.function.LongUnaryOperator;

/**
 * The smallest store of versioned rows: a page of numbers, each with xid and undo pointer. It uses
 * transactions as the real store does, so that they can be tested alone.
 *
 * <pre>
 * row: xid 8 | undo LSN 8 | undo page 4 | undo slot 2 | zero 2 | value 8
 * undo content: row number 2 | the row as it was 32
 * </pre>
 */
final class FixedRows implements UndoApplier {
  static final int ROWS = 200;
  private static final int ROW_BYTES = 32;
  private static final int FIRST_ROW = PageLayout.HEADER_BYTES;
  private static final int UNDO_BYTES =
      UndoRecordLayout.CONTENT + 2 + ROW_BYTES + UndoPage.SLOT_BYTES;

  private static final int XID = 0;
  private static final int UNDO_LSN = 8;
  private static final int UNDO_PAGE = 16;
  private static final int UNDO_SLOT = 20;
  private static final int VALUE = 24;

  private final TransactionFixture fixture;
  private final long page;

  FixedRows(TransactionFixture fixture, int space) {
    this.fixture = fixture;
    this.page = PageId.of(space, 1);
  }

  /** Formats the page, all rows zero. */
  void create(EngineContext ctx) {
    int number = fixture.spaces().reserve(ctx, PageId.space(page));
    Mtr mtr = ctx.mtr();
    try (PageGuard guard = new PageGuard()) {
      mtr.begin(128);
      fixture.engine().pool().write(ctx, page, guard);
      UndoProbe.format(mtr, guard, PageType.META);
      mtr.commit();
    }
    fixture.engine().pool().unpin(PageId.of(PageId.space(page), number));
  }

  /** The value that the transaction's snapshot sees. */
  long read(Transaction txn, int row) {
    return read(txn, txn.snapshot(), row);
  }

  long read(Transaction txn, Snapshot snapshot, int row) {
    Transactions all = fixture.transactions();
    EngineContext ctx = txn.context();
    try (PageGuard leaf = new PageGuard();
        PageGuard undo = new PageGuard()) {
      while (true) {
        fixture.engine().pool().read(ctx, page, leaf);
        long at = leaf.address() + FIRST_ROW + (long) row * ROW_BYTES;
        int missing = 0;
        long writer = 0;
        long missingLsn = 0;
        while (all.visibility()
                .judge(txn, snapshot, Memory.getLong(at + XID), Memory.getLong(at + UNDO_LSN))
            != Visibility.SEEN) {
          long xid = Memory.getLong(at + XID);
          long lsn = Memory.getLong(at + UNDO_LSN);
          int undoPage = Memory.getInt(at + UNDO_PAGE);
          int undoSlot = Memory.getUnsignedShort(at + UNDO_SLOT);
          undo.close();
          long record = all.undoReader().tryRecord(ctx, undo, xid, undoPage, undoSlot, lsn);
          if (record == 0) {
            missing = undoPage;
            writer = xid;
            missingLsn = lsn;
            break;
          }
          at = record + UndoRecordLayout.CONTENT + 2;
        }
        long value = missing == 0 ? Memory.getLong(at + VALUE) : 0;
        undo.close();
        leaf.close();
        if (missing == 0) {
          return value;
        }
        all.undoReader().load(ctx, writer, missing, missingLsn);
      }
    }
  }

  /** The value of the newest version, for checks when nothing is active. */
  long newest(EngineContext ctx, int row) {
    try (PageGuard leaf = new PageGuard()) {
      fixture.engine().pool().read(ctx, page, leaf);
      return Memory.getLong(leaf.address() + FIRST_ROW + (long) row * ROW_BYTES + VALUE);
    }
  }

  /**
   * Changes the newest version, as UPDATE does: waits for other writers; READ COMMITTED continues
   * with what is there then, REPEATABLE READ raises 40001 when the snapshot does not see it.
   *
   * @return false when another transaction has the row and the policy is not to wait
   */
  boolean update(Transaction txn, int row, WaitPolicy policy, LongUnaryOperator change) {
    EngineContext ctx = txn.context();
    Mtr mtr = ctx.mtr();
    while (true) {
      long blocker;
      txn.prepareUndo(UNDO_BYTES);
      try (PageGuard leaf = new PageGuard()) {
        mtr.begin(512);
        fixture.engine().pool().write(ctx, page, leaf);
        int offset = FIRST_ROW + row * ROW_BYTES;
        long at = leaf.address() + offset;
        blocker = Memory.getLong(at + XID);
        if (blocker == txn.xid() || !fixture.isActive(blocker)) {
          checkFirstUpdater(txn, at);
          int undo = txn.startUndo(mtr);
          mtr.putShort(row);
          mtr.putMemory(at, ROW_BYTES);
          txn.endUndo(mtr);
          mtr.startRecord(leaf, RedoType.WRITE);
          mtr.putShort(offset);
          mtr.putLong(txn.xid());
          mtr.putLsnOf(undo);
          mtr.putInt(txn.undoPage());
          mtr.putShort(txn.undoSlot());
          mtr.putShort(0);
          mtr.putLong(change.applyAsLong(Memory.getLong(at + VALUE)));
          mtr.endRecord();
          mtr.commit();
          return true;
        }
      } finally {
        mtr.abandon();
        txn.releaseUndo();
      }
      if (!fixture.transactions().lockWaits().await(txn, blocker, row, policy)) {
        return false;
      }
    }
  }

  private void checkFirstUpdater(Transaction txn, long at) {
    long xid = Memory.getLong(at + XID);
    if (txn.isolation() == Transaction.IsolationLevel.REPEATABLE_READ
        && xid != txn.xid()
        && fixture
                .transactions()
                .visibility()
                .judge(txn, txn.snapshot(), xid, Memory.getLong(at + UNDO_LSN))
            != Visibility.SEEN) {
      throw new GaussException(
          SqlState.SERIALIZATION_FAILURE, "could not serialize access due to concurrent update");
    }
  }

  @Override
  public boolean undo(
      EngineContext ctx,
      long xid,
      int undoPage,
      int undoSlot,
      byte[] record,
      int length,
      UndoStep step) {
    int content = UndoRecordLayout.CONTENT;
    int row = record[content] & 0xFF | (record[content + 1] & 0xFF) << 8;
    Mtr mtr = ctx.mtr();
    try (PageGuard leaf = new PageGuard()) {
      mtr.beginRollback(512);
      fixture.engine().pool().write(ctx, page, leaf);
      int offset = FIRST_ROW + row * ROW_BYTES;
      long at = leaf.address() + offset;
      if (Memory.getLong(at + XID) != xid
          || Memory.getInt(at + UNDO_PAGE) != undoPage
          || Memory.getUnsignedShort(at + UNDO_SLOT) != undoSlot) {
        throw new IllegalStateException(
            "row " + row + " is not the version that " + Xid.toString(xid) + " is to undo");
      }
      mtr.startRecord(leaf, RedoType.WRITE);
      mtr.putShort(offset);
      mtr.putBytes(record, content + 2, ROW_BYTES);
      mtr.endRecord();
      step.append(mtr);
      mtr.commit();
      return true;
    } finally {
      mtr.abandon();
      step.release();
    }
  }
}
