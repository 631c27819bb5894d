package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.UndoSegmentLayout;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.txn.undo.UndoApplier;
import io.gauss.compute.txn.undo.UndoRedo;
import io.gauss.compute.txn.undo.UndoSegment;
import io.gauss.compute.txn.undo.UndoSegments;
import io.gauss.compute.txn.undo.UndoStep;

/**
 * Walks a transaction's undo records backwards and has each of them undone, in one MTR with the
 * mark "undone down to here" in the segment's header, so that after a crash at any moment the walk
 * resumes where it was (rule 23).
 *
 * <p>Reused by its transaction. A wait that is refused on an event loop, or an error, leaves the
 * walk at the record that was not undone; {@link #page()} and {@link #slot()} return its place, and
 * {@link #run} continues from there.
 */
final class Rollback implements UndoStep {
  private final UndoSegments segments;
  private final PageGuard header = new PageGuard();
  private final PageGuard undo = new PageGuard();
  private byte[] record = new byte[1024];

  private EngineContext ctx;
  private UndoSegment segment;
  private long xid;
  private int fromPage;
  private int fromSlot;
  private int page;
  private int slot;
  private int previousPage;
  private int previousSlot;
  private boolean headerWasAway;
  private boolean headerKept;

  Rollback(UndoSegments segments) {
    this.segments = segments;
  }

  /**
   * Sets where the walk begins.
   *
   * @param newestPage page of the segment's newest record, which the mark names
   * @param startPage next record to undo, 0 = none
   */
  void start(
      EngineContext context,
      UndoSegment ofSegment,
      long ofXid,
      int newestPage,
      int newestSlot,
      int startPage,
      int startSlot) {
    ctx = context;
    segment = ofSegment;
    xid = ofXid;
    fromPage = newestPage;
    fromSlot = newestSlot;
    page = startPage;
    slot = startSlot;
  }

  /** Page of the next record to undo, 0 = none is left. */
  int page() {
    return page;
  }

  int slot() {
    return slot;
  }

  /**
   * Undoes records until the given one is next (0 = all), or until {@code budget} of them are
   * undone.
   *
   * @return true when the walk arrived
   */
  boolean run(UndoApplier applier, int stopPage, int stopSlot, long budget) {
    if (isAt(stopPage, stopSlot)) {
      return true;
    }
    ctx.interrupts().hold();
    try {
      segments.pool().pinToWrite(ctx, segment.id(segment.headerPage));
      try {
        for (long done = 0; !isAt(stopPage, stopSlot); done++) {
          if (done == budget) {
            return false;
          }
          step(applier);
        }
        return true;
      } finally {
        segments.pool().unpin(segment.id(segment.headerPage));
      }
    } finally {
      ctx.interrupts().release();
    }
  }

  private boolean isAt(int stopPage, int stopSlot) {
    return page == stopPage && (page == 0 || slot == stopSlot);
  }

  private void step(UndoApplier applier) {
    int length = copyRecord();
    boolean logged;
    try {
      logged = applier.undo(ctx, xid, page, slot, record, length, this);
    } finally {
      release();
    }
    if (!logged) {
      logStep();
    }
    page = previousPage;
    slot = previousSlot;
    segments.metrics().undone();
  }

  private void logStep() {
    Mtr mtr = ctx.mtr();
    try {
      mtr.beginRollback(UndoRedo.MARK_BYTES);
      append(mtr);
      mtr.commit();
    } finally {
      mtr.abandon();
      release();
    }
  }

  private int copyRecord() {
    BufferPool pool = segments.pool();
    long id = segment.id(page);
    pool.pin(ctx, id);
    try {
      pool.read(ctx, id, undo);
      long at = undo.address();
      if (slot >= UndoPage.slotCount(at)
          || Memory.getLong(UndoPage.record(at, slot) + UndoRecordLayout.XID) != xid) {
        throw new GaussException(
            SqlState.DATA_CORRUPTED,
            "undo page "
                + Integer.toUnsignedString(page)
                + " has no record of transaction "
                + Xid.toString(xid)
                + " in slot "
                + slot);
      }
      int length = UndoPage.recordLength(at, slot);
      if (length > record.length) {
        record = new byte[UndoPage.MAX_RECORD];
      }
      long from = UndoPage.record(at, slot);
      Memory.copyOut(from, record, 0, length);
      previousPage = Memory.getInt(from + UndoRecordLayout.PREVIOUS_PAGE);
      previousSlot = Memory.getUnsignedShort(from + UndoRecordLayout.PREVIOUS_SLOT);
      return length;
    } finally {
      undo.close();
      pool.unpin(id);
    }
  }

  @Override
  public void ready() {
    if (headerWasAway && !headerKept) {
      segments.pool().retain(ctx, segment.id(segment.headerPage));
      headerKept = true;
    }
  }

  @Override
  public void append(Mtr mtr) {
    try {
      segments.pool().write(ctx, segment.id(segment.headerPage), header);
    } catch (PageAwayException e) {
      headerWasAway = true;
      throw e;
    }
    mtr.startRecord(header, RedoType.WRITE);
    mtr.putShort(UndoSegmentLayout.MARK_XID);
    mtr.putLong(xid);
    mtr.putInt(previousPage);
    mtr.putShort(previousSlot);
    mtr.putShort(0);
    mtr.putInt(fromPage);
    mtr.putShort(fromSlot);
    mtr.putShort(0);
    mtr.endRecord();
  }

  @Override
  public void release() {
    header.close();
    if (headerKept) {
      headerKept = false;
      headerWasAway = false;
      segments.pool().releaseRetained(ctx, segment.id(segment.headerPage));
    }
  }
}
