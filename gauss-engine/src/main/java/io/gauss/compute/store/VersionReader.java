package io.gauss.compute.store;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.VersionHeader;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.RemoteXids;
import io.gauss.compute.txn.Snapshot;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.Visibility;

/**
 * Finds the version of a record that a snapshot sees: the one in the leaf, or an older one that is
 * rebuilt from undo in the session's scratch memory.
 *
 * <p>The caller holds the leaf. Undo pages are tried with the leaf latched, since they usually are
 * resident; when one is not, the leaf is released before it is loaded (law 4, never wait under a
 * latch) and the walk continues from the copy. That is sound: the newest version was judged under
 * the latch, versions below an invisible version are committed or of the same transaction, and the
 * registered snapshot keeps their undo. When another node has to be asked about the newest
 * version's writer, the walk also continues from the copy: the snapshot is open, so a writer that
 * ends meanwhile has a CSN above it, or is found to have rolled back, and the version that it
 * replaced is still in undo. One thread at a time.
 */
final class VersionReader {
  /** The snapshot sees no row. */
  static final int GONE = 0;

  /** The row is in the leaf, which is latched. */
  static final int IN_PLACE = 1;

  /** The row is in scratch memory; the leaf may have been released. */
  static final int REBUILT = 2;

  static final int SCRATCH_BYTES = 2 * PageLayout.PAGE_BYTES;

  private final EngineContext ctx;
  private final PageGuard undoGuard = new PageGuard();
  private final ScratchMemory memory;
  private ScratchMemory.Buffer buffer;
  private long scratch;

  // Header of the version that was found, and its row.
  int flags;
  long xid;
  int undoPage;
  int undoSlot;
  long undoLsn;
  long rowAddress;
  int rowLength;

  VersionReader(EngineContext ctx, ScratchMemory memory) {
    this.ctx = ctx;
    this.memory = memory;
  }

  /** Returns scratch memory to the session; a rebuilt row is invalid afterwards. */
  void close() {
    memory.giveBack(buffer);
    buffer = null;
    scratch = 0;
  }

  /**
   * Looks for the version of a record that the snapshot sees.
   *
   * @param release releases the leaf
   */
  int read(
      Transactions transactions,
      Transaction txn,
      Snapshot snapshot,
      long page,
      int slot,
      Runnable release) {
    loadHeader(TreePage.version(page, slot));
    int seen = transactions.visibility().judge(txn, snapshot, xid, undoLsn);
    if (seen == Visibility.SEEN) {
      rowAddress = TreePage.rowAddress(page, slot);
      rowLength = TreePage.rowLength(page, slot);
      return isDeleted() ? GONE : IN_PLACE;
    }
    copyRow(TreePage.rowAddress(page, slot), TreePage.rowLength(page, slot));
    boolean held = true;
    if (seen == Visibility.UNRESOLVED) {
      wantAll(transactions.remote(), txn, snapshot, page);
      held = releaseLeaf(held, release);
      transactions.remote().resolve(txn, snapshot.lsn());
      if (judge(transactions, txn, snapshot)) {
        return isDeleted() ? GONE : REBUILT;
      }
    }
    while (undoLsn != 0) {
      long record =
          transactions.undoReader().tryRecord(ctx, undoGuard, xid, undoPage, undoSlot, undoLsn);
      if (record == 0) {
        held = releaseLeaf(held, release);
        transactions.undoReader().load(ctx, xid, undoPage, undoLsn);
        continue;
      }
      try {
        if (UndoContentLayout.isInsert(record)) {
          return GONE;
        }
        unapply(
            record,
            transactions.undoReader().recordLength(ctx, undoGuard, xid, undoPage, undoSlot));
        loadHeader(UndoContentLayout.oldVersion(record));
      } finally {
        undoGuard.close();
      }
      seen = transactions.visibility().judge(txn, snapshot, xid, undoLsn);
      if (seen == Visibility.UNRESOLVED) {
        held = releaseLeaf(held, release);
        seen = judge(transactions, txn, snapshot) ? Visibility.SEEN : Visibility.UNSEEN;
      }
      if (seen == Visibility.SEEN) {
        return isDeleted() ? GONE : REBUILT;
      }
    }
    return GONE;
  }

  /**
   * Whether the snapshot sees the version in the fields; asks another node if need be, so no latch
   * may be held.
   */
  boolean judge(Transactions transactions, Transaction txn, Snapshot snapshot) {
    while (true) {
      int seen = transactions.visibility().judge(txn, snapshot, xid, undoLsn);
      if (seen != Visibility.UNRESOLVED) {
        return seen == Visibility.SEEN;
      }
      transactions.remote().resolve(txn, snapshot.lsn(), xid);
    }
  }

  /** All transactions on the page that have to be asked about go into one question. */
  private static void wantAll(RemoteXids remote, Transaction txn, Snapshot snapshot, long page) {
    remote.begin(txn);
    for (int i = PageView.slotCount(page) - 1; i >= 0; i--) {
      remote.want(txn, snapshot.lsn(), VersionHeader.xid(TreePage.version(page, i)));
    }
  }

  private static boolean releaseLeaf(boolean held, Runnable release) {
    if (held) {
      release.run();
    }
    return false;
  }

  /**
   * Goes down from a header that only locks to the version that wrote the row, without touching the
   * row. Leaves its header in the fields; {@link Xid#NONE} as the writer when its undo is gone,
   * since then every snapshot sees it.
   */
  void skipLocks(Transactions transactions, long header, Runnable release) {
    loadHeader(header);
    boolean held = true;
    while ((flags & VersionHeader.LOCKED_ONLY) != 0) {
      long record;
      try {
        record =
            transactions.undoReader().tryRecord(ctx, undoGuard, xid, undoPage, undoSlot, undoLsn);
      } catch (GaussException e) {
        if (e.state() != SqlState.SNAPSHOT_TOO_OLD) {
          throw e;
        }
        flags &= ~VersionHeader.LOCKED_ONLY;
        xid = Xid.NONE;
        undoLsn = 0;
        return;
      }
      if (record == 0) {
        held = releaseLeaf(held, release);
        transactions.undoReader().load(ctx, xid, undoPage, undoLsn);
        continue;
      }
      try {
        loadHeader(UndoContentLayout.oldVersion(record));
      } finally {
        undoGuard.close();
      }
    }
  }

  /**
   * Goes down from a newest version to the one that the trail starts from, and notes in the trail
   * the first change above it that ended the row under this key, if there is one. The leaf may be
   * released.
   *
   * @param header of the newest version, in the leaf
   */
  void trace(
      Transactions transactions,
      Transaction txn,
      Snapshot snapshot,
      long header,
      RowTrail trail,
      Runnable release) {
    loadHeader(header);
    trail.traceFrom(xid, undoLsn);
    boolean held = true;
    boolean arrived = false;
    while (undoLsn != 0) {
      if (trail.isWhereItArrived(xid, undoLsn)) {
        arrived = true;
      } else if (arrived) {
        return;
      } else if (!trail.hasMoved()) {
        int seen = transactions.visibility().judge(txn, snapshot, xid, undoLsn);
        if (seen == Visibility.UNRESOLVED) {
          held = releaseLeaf(held, release);
          seen = judge(transactions, txn, snapshot) ? Visibility.SEEN : Visibility.UNSEEN;
        }
        if (seen == Visibility.SEEN) {
          trail.start(isDeleted());
          return;
        }
      }
      long record =
          transactions.undoReader().tryRecord(ctx, undoGuard, xid, undoPage, undoSlot, undoLsn);
      if (record == 0) {
        held = releaseLeaf(held, release);
        transactions.undoReader().load(ctx, xid, undoPage, undoLsn);
        continue;
      }
      try {
        if (UndoContentLayout.isInsert(record)) {
          return;
        }
        if (UndoContentLayout.endsRow(record)) {
          boolean moved = UndoContentLayout.kind(record) == UndoContentLayout.KIND_MOVE;
          int length =
              transactions.undoReader().recordLength(ctx, undoGuard, xid, undoPage, undoSlot);
          trail.ends(xid, undoLsn, moved ? UndoContentLayout.newKey(record, length) : null);
        }
        loadHeader(UndoContentLayout.oldVersion(record));
      } finally {
        undoGuard.close();
      }
    }
  }

  /**
   * Whether the version in the fields was deleted because its key was changed. No latch may be
   * held.
   */
  boolean isMoved(Transactions transactions) {
    while (true) {
      long record =
          transactions.undoReader().tryRecord(ctx, undoGuard, xid, undoPage, undoSlot, undoLsn);
      if (record != 0) {
        try {
          return UndoContentLayout.kind(record) == UndoContentLayout.KIND_MOVE;
        } finally {
          undoGuard.close();
        }
      }
      transactions.undoReader().load(ctx, xid, undoPage, undoLsn);
    }
  }

  /** The results of {@link #existedBefore}. */
  enum Existence {
    EXISTED,
    ABSENT,
    /** The undo page is not resident: load it with no latch held and ask again. */
    NOT_AT_HAND
  }

  /**
   * Whether the row existed before the transaction that wrote the given newest version changed it.
   * Never waits.
   */
  Existence existedBefore(Transactions transactions, long header) {
    loadHeader(header);
    long writer = xid;
    while (xid == writer) {
      long record =
          transactions.undoReader().tryRecord(ctx, undoGuard, xid, undoPage, undoSlot, undoLsn);
      if (record == 0) {
        return Existence.NOT_AT_HAND;
      }
      try {
        if (UndoContentLayout.isInsert(record)) {
          return Existence.ABSENT;
        }
        loadHeader(UndoContentLayout.oldVersion(record));
      } finally {
        undoGuard.close();
      }
    }
    return isDeleted() ? Existence.ABSENT : Existence.EXISTED;
  }

  /** Loads the undo page at which a walk stopped. No latch may be held. */
  void loadUndo(Transactions transactions) {
    transactions.undoReader().load(ctx, xid, undoPage, undoLsn);
  }

  boolean isDeleted() {
    return (flags & VersionHeader.DELETED) != 0;
  }

  boolean isOverflow() {
    return (flags & VersionHeader.OVERFLOW) != 0;
  }

  private void loadHeader(long header) {
    flags = VersionHeader.flags(header);
    xid = VersionHeader.xid(header);
    undoPage = VersionHeader.undoPage(header);
    undoSlot = VersionHeader.undoSlot(header);
    undoLsn = VersionHeader.undoLsn(header);
  }

  private void copyRow(long address, int length) {
    if (scratch == 0) {
      buffer = memory.take(SCRATCH_BYTES);
      scratch = buffer.address;
    }
    Memory.copy(address, scratch, length);
    rowAddress = scratch;
    rowLength = length;
  }

  /** Puts the old bytes of an update back into the row in scratch memory. */
  private void unapply(long record, int recordLength) {
    if (UndoContentLayout.kind(record) != UndoContentLayout.KIND_UPDATE) {
      return;
    }
    int at = UndoContentLayout.rowAt(record);
    int newBytes = UndoContentLayout.newBytes(record);
    int oldBytes = UndoContentLayout.oldBytesLength(record, recordLength);
    int tail = rowLength - at - newBytes;
    if (tail < 0 || oldBytes < 0 || at + oldBytes + tail > SCRATCH_BYTES) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "undo record " + undoPage + "/" + undoSlot + " does not fit the row that it belongs to");
    }
    Memory.copy(scratch + at + newBytes, scratch + at + oldBytes, tail);
    Memory.copy(UndoContentLayout.oldBytes(record), scratch + at, oldBytes);
    rowLength = at + oldBytes + tail;
  }
}
