package io.gauss.compute.store;

import io.gauss.common.page.OverflowPage;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.tree.TreeScan;
import io.gauss.compute.txn.Snapshot;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.undo.LostChangeException;

/**
 * A scan of the rows that a snapshot sees, in key order or against it. Reusable: open, next...,
 * close.
 *
 * <p>Between {@code next()} calls the current leaf stays latched shared, so the addresses are valid
 * until the next call; the caller must not wait, and calls {@link #pause} before it does anything
 * else with the engine or passes rows on. Rows that were rebuilt from undo or fetched from overflow
 * pages are in the scan's own memory; the leaf may not be latched then.
 */
public final class VersionedScan implements AutoCloseable {
  private static final int BREATHE_EVERY = 4096;

  private final VersionedTree tree;
  private final EngineContext ctx;
  private final Transactions transactions;
  private final TreeScan scan;
  private final ScratchMemory memory;
  private final VersionReader versions;
  private final Runnable release;
  private Transaction txn;
  private Snapshot snapshot;
  private boolean overflow;
  private long rowAddress;
  private int rowLength;
  private int steps;

  private ScratchMemory.Buffer longRow;

  VersionedScan(VersionedTree tree, EngineContext ctx) {
    this.tree = tree;
    this.ctx = ctx;
    this.transactions = tree.transactions();
    this.scan = new TreeScan(ctx);
    this.memory = StoreSession.of(ctx).scratch;
    this.versions = new VersionReader(ctx, memory);
    this.release = scan::pause;
  }

  /**
   * @param low start of the range, null = from the first key
   * @param high end of the range, null = to the last key
   * @param lowInclusive whether a key equal to low belongs to the range; a key that has low as its
   *     prefix is above it
   * @param highInclusive whether keys equal to high, <em>or having high as a prefix</em>, belong to
   *     the range
   */
  public void open(
      Transaction transaction,
      Snapshot at,
      byte[] low,
      int lowLength,
      boolean lowInclusive,
      byte[] high,
      int highLength,
      boolean highInclusive,
      boolean descending) {
    txn = transaction;
    snapshot = at;
    scan.open(
        tree.btree(), low, lowLength, lowInclusive, high, highLength, highInclusive, descending);
  }

  /** Moves to the next visible row; false at the end. May wait for pages. */
  public boolean next() {
    LostChangeException lost = null;
    while (scan.next()) {
      if (++steps % BREATHE_EVERY == 0) {
        scan.pause();
        ctx.waits().yieldCarrier();
        scan.repeat();
        continue;
      }
      int found;
      try {
        found = versions.read(transactions, txn, snapshot, scan.page(), scan.slot(), release);
      } catch (LostChangeException e) {
        lost = e.again(lost);
        scan.pause();
        scan.repeat();
        continue;
      }
      if (found != VersionReader.GONE) {
        rowAddress = versions.rowAddress;
        rowLength = versions.rowLength;
        overflow = versions.isOverflow();
        if (overflow) {
          fetchLongRow();
        }
        return true;
      }
    }
    return false;
  }

  private void fetchLongRow() {
    int first = OverflowPage.firstPage(rowAddress);
    int length = OverflowPage.rowLength(rowAddress);
    scan.pause();
    if (longRow == null || longRow.bytes < length) {
      long before = longRow == null ? VersionReader.SCRATCH_BYTES : longRow.bytes;
      memory.giveBack(longRow);
      longRow = memory.take(length <= before ? before : Math.max(length, 2 * before));
    }
    tree.store()
        .overflow()
        .read(StoreSession.of(ctx), tree.space(), first, longRow.address, length);
    rowAddress = longRow.address;
    rowLength = length;
  }

  /** Off-heap address and length of the visible version's row bytes. */
  public long rowAddress() {
    return rowAddress;
  }

  public int rowLength() {
    return rowLength;
  }

  /**
   * Copies out the whole key (page prefix and suffix); returns its length. The array is large
   * enough for any key.
   */
  public int copyKey(byte[] to, int offset) {
    return scan.copyKey(to, offset);
  }

  /** Copies out the current row, key and stamp, for a later update or delete of it. */
  public void copyVersion(RowVersion out) {
    if (out.key.length < io.gauss.common.page.TreePage.MAX_KEY_BYTES) {
      out.key = new byte[io.gauss.common.page.TreePage.MAX_KEY_BYTES];
    }
    out.keyLength = scan.copyKey(out.key, 0);
    out.pageId = scan.lastPageId();
    out.slot = scan.slot();
    out.stamp(versions.flags, versions.xid, versions.undoPage, versions.undoSlot, versions.undoLsn);
    out.copyRow(rowAddress, rowLength);
  }

  /** Releases the latch and remembers the position; {@link #next} continues from it. */
  public void pause() {
    scan.pause();
  }

  @Override
  public void close() {
    scan.close();
    versions.close();
    memory.giveBack(longRow);
    longRow = null;
    txn = null;
    snapshot = null;
  }
}
