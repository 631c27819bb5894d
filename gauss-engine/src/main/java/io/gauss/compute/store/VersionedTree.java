package io.gauss.compute.store;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.page.OverflowPage;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.VersionHeader;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.buffer.TransferCause;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.Snapshot;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.txn.undo.LostChangeException;
import io.gauss.compute.txn.undo.PurgeList;
import io.gauss.compute.txn.undo.PurgeNote;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Versioned rows in one B-link tree: SQL reads and writes them, for both tables and indexes.
 *
 * <p>Keys and rows are byte ranges: keys in memcmp order, rows opaque. No method holds a latch when
 * it returns, except an open {@link VersionedScan} between {@code next()} calls until {@code
 * pause()} or {@code close()}.
 *
 * <p>A write is one mini-transaction over the leaf and the transaction's undo page: the undo record
 * first, then the leaf's record, whose header refers to it. Undo space, log space and overflow
 * pages are available before the leaf is latched; when the leaf is full, dead records are removed,
 * then it is split, and the write starts over. So an attempt either changes nothing or is complete,
 * whatever exception it throws. Thread-safe: all state belongs to the session.
 */
public final class VersionedTree {
  private final Store store;
  private final BTree tree;
  private final NewestReader newest;
  private final RowInsert rows;
  private final RunInsert runs;
  private final AtomicInteger cuts = new AtomicInteger();

  VersionedTree(Store store, BTree tree) {
    this.store = store;
    this.tree = tree;
    this.newest = new NewestReader(store, tree);
    this.rows = new RowInsert(this, tree);
    this.runs = new RunInsert(this, tree);
  }

  public int space() {
    return tree.space();
  }

  /** The structure below, for checks and maintenance. */
  public BTree btree() {
    return tree;
  }

  Store store() {
    return store;
  }

  NewestReader newest() {
    return newest;
  }

  /** Reads the version that the snapshot sees; false when there is none. */
  public boolean get(
      Transaction txn, Snapshot snapshot, byte[] key, int offset, int length, RowVersion out) {
    LostChangeException lost = null;
    while (true) {
      try {
        return getOnce(txn, snapshot, key, offset, length, out);
      } catch (LostChangeException e) {
        lost = e.again(lost);
      }
    }
  }

  private boolean getOnce(
      Transaction txn, Snapshot snapshot, byte[] key, int offset, int length, RowVersion out) {
    StoreSession session = StoreSession.of(txn.context());
    TreeCursor cursor = session.cursor;
    VersionReader versions = session.versions;
    boolean overflow;
    try {
      tree.findLeaf(session.ctx, cursor, key, offset, length, false);
      if (cursor.slot < 0) {
        return false;
      }
      long page = cursor.guard.address();
      out.copyPlace(page, cursor.guard.pageId(), cursor.slot);
      int found =
          versions.read(
              store.transactions(), txn, snapshot, page, cursor.slot, session.releaseLeaf);
      if (found == VersionReader.GONE) {
        return false;
      }
      out.stamp(
          versions.flags, versions.xid, versions.undoPage, versions.undoSlot, versions.undoLsn);
      out.copyRow(versions.rowAddress, versions.rowLength);
      overflow = versions.isOverflow();
    } finally {
      cursor.guard.close();
    }
    newest.fetchOverflow(session, overflow, out);
    return true;
  }

  /**
   * Reads the newest version for writing: waits for another active writer to end (or returns
   * LOCKED), then returns OK, NOT_FOUND, CHANGED or SELF. The row is in the out parameter unless it
   * is deleted.
   *
   * @throws GaussException 40001 at REPEATABLE READ when the newest is above the snapshot; 40P01,
   *     55P03 (lock_timeout), 57014
   */
  public Outcome readNewest(
      Transaction txn,
      Snapshot snapshot,
      byte[] key,
      int offset,
      int length,
      WaitPolicy policy,
      RowVersion out) {
    return newest.read(txn, snapshot, key, offset, length, policy, out);
  }

  /**
   * As {@link #readNewest}, for a statement that wants one row by its key: what has got the key
   * since a REPEATABLE READ transaction's snapshot is none of its rows, and no conflict either.
   */
  public Outcome readNewestNamed(
      Transaction txn,
      Snapshot snapshot,
      byte[] key,
      int offset,
      int length,
      WaitPolicy policy,
      RowVersion out) {
    try {
      return newest.read(txn, snapshot, key, offset, length, policy, out);
    } catch (GaussException e) {
      boolean isConflict =
          e.state() == SqlState.SERIALIZATION_FAILURE && !(e instanceof LostChangeException);
      if (isConflict && !get(txn, snapshot, key, offset, length, out)) {
        return Outcome.NOT_FOUND;
      }
      throw e;
    }
  }

  /**
   * As {@link #readNewest}, of the row that the snapshot sees under this key, wherever it is by
   * now: a row whose key has been changed since is read under its new key, which is in {@code out},
   * and a row that has taken the key since is not mistaken for it. NOT_FOUND when the row has been
   * deleted; the out parameter is not filled for SELF then.
   *
   * @throws GaussException as {@link #readNewest}; 72000 when it is no longer known what became of
   *     the row
   */
  public Outcome readNewestOf(
      Transaction txn,
      Snapshot snapshot,
      byte[] key,
      int offset,
      int length,
      WaitPolicy policy,
      RowVersion out) {
    return newest.follow(txn, snapshot, key, offset, length, policy, out);
  }

  /**
   * Finds the first key of a range whose newest version is live, whatever any snapshot sees:
   * committed, of this transaction, or of an active transaction that merely changes or locks a row
   * that existed before. For foreign keys (rule 25): an active transaction is waited for only where
   * existence differs between its version and the one before.
   *
   * @param high keys equal to it, or having it as a prefix, belong to the range
   * @return OK with key and newest row in {@code out}, or NOT_FOUND
   */
  public Outcome findNewest(
      Transaction txn,
      byte[] low,
      int lowLength,
      boolean lowInclusive,
      byte[] high,
      int highLength,
      RowVersion out) {
    return newest.find(txn, low, lowLength, lowInclusive, high, highLength, out);
  }

  /**
   * As {@link #findNewest} of one key, without waiting for other transactions.
   *
   * @return LOCKED when an active transaction decides whether there is a live version
   */
  public Outcome peekNewest(Transaction txn, byte[] key, int length, RowVersion out) {
    return newest.peek(txn, key, length, out);
  }

  /**
   * Whether the transaction itself has written or locked a live version under a key of a range, and
   * nobody needs to be waited for to know it.
   *
   * @param key all keys that have it as a prefix belong to the range
   */
  public boolean hasOwn(Transaction txn, byte[] key, int length) {
    return newest.hasOwn(txn, key, length);
  }

  /**
   * Whether several keys of a range have a live version, or may get one by the end of an active
   * transaction. Waits for none of these.
   *
   * @param key all keys that have it as a prefix belong to the range
   */
  public boolean mayHaveSeveral(Transaction txn, byte[] key, int length) {
    return newest.mayHaveSeveral(txn, key, length);
  }

  /** Replaces the row that {@link #readNewest} returned: OK or STALE. */
  public Outcome update(Transaction txn, RowVersion version, byte[] row, int offset, int length) {
    StoreSession session = StoreSession.of(txn.context());
    boolean overflow = isLong(version.keyLength, length);
    if (!overflow) {
      return write(txn, session, version, UndoContentLayout.KIND_UPDATE, 0, row, offset, length);
    }
    byte[] reference = writeOverflow(txn, session, row, offset, length);
    Outcome outcome = Outcome.STALE;
    try {
      outcome =
          write(
              txn,
              session,
              version,
              UndoContentLayout.KIND_UPDATE,
              VersionHeader.OVERFLOW,
              reference,
              0,
              reference.length);
    } finally {
      if (outcome != Outcome.OK) {
        freeOverflow(session, reference);
      }
    }
    return outcome;
  }

  /** Marks the row deleted: OK or STALE. */
  public Outcome delete(Transaction txn, RowVersion version) {
    return write(
        txn,
        StoreSession.of(txn.context()),
        version,
        UndoContentLayout.KIND_DELETE,
        VersionHeader.DELETED,
        null,
        0,
        0);
  }

  /**
   * Marks the row deleted because its key changes: OK or STALE. The caller inserts the row under
   * the new key next, with nothing in between. Whoever read the row before finds it there: {@link
   * #readNewestOf}.
   */
  public Outcome move(Transaction txn, RowVersion version, byte[] newKey, int newKeyLength) {
    return write(
        txn,
        StoreSession.of(txn.context()),
        version,
        UndoContentLayout.KIND_MOVE,
        VersionHeader.DELETED,
        newKey,
        0,
        newKeyLength);
  }

  /**
   * Locks the row by writing only its header: OK or STALE. No effect when this transaction wrote it
   * last.
   */
  public Outcome lock(Transaction txn, RowVersion version) {
    if (NewestReader.isOwn(txn, version.xid)) {
      return Outcome.OK;
    }
    return write(
        txn,
        StoreSession.of(txn.context()),
        version,
        UndoContentLayout.KIND_LOCK,
        VersionHeader.LOCKED_ONLY,
        null,
        0,
        0);
  }

  // Results of one attempt to write; a value above 0 is the number of bytes for which the leaf has
  // no room.
  private static final int DONE = 0;
  private static final int IS_STALE = -1;
  static final int AGAIN = -2;
  private static final int CROWDED = -3;

  private Outcome write(
      Transaction txn,
      StoreSession session,
      RowVersion version,
      int kind,
      int flags,
      byte[] row,
      int offset,
      int length) {
    while (true) {
      int result;
      try {
        result = tryWrite(txn, session, version, kind, flags, row, offset, length);
      } catch (PageAwayException e) {
        result = AGAIN; // another node reads the undo page: it is retained for the next attempt
      }
      tree.completeNoticed(session.ctx, session.cursor);
      if (result == DONE) {
        return Outcome.OK;
      }
      if (result == IS_STALE) {
        return Outcome.STALE;
      }
      if (result > 0) {
        tree.makeRoom(session.ctx, version.key, 0, version.keyLength, result, false);
      } else if (result == CROWDED) {
        separate(txn, version.key, 0, version.keyLength);
      }
    }
  }

  /**
   * The flag of a version over one with this header, when the key has been free in between: needed
   * as long as there may be a snapshot that sees a version below it.
   */
  int reusedBy(long header) {
    boolean isOld = store.transactions().horizon().passed(VersionHeader.xid(header));
    return isOld ? 0 : VersionHeader.REUSED;
  }

  /** Whether the leaf is to be cut before the row at the cursor is changed or added. */
  boolean isContended(Transaction txn, TreeCursor cursor) {
    TransferCause cause = TransferCauses.note(store, txn, cursor);
    return cause != null
        && cause != TransferCause.SAME_ROW
        && txn.context().waits().mayBlock()
        && store.contended().isToBeCut(txn, cursor, cuts.get(), Environment.nanoTime());
  }

  void separate(Transaction txn, byte[] key, int offset, int length) {
    cuts.incrementAndGet();
    store.contended().separate(txn.context(), txn, tree, key, offset, length);
  }

  private int tryWrite(
      Transaction txn,
      StoreSession session,
      RowVersion version,
      int kind,
      int flags,
      byte[] row,
      int offset,
      int length) {
    TreeCursor cursor = session.cursor;
    Mtr mtr = session.ctx.mtr();
    int keyLength = version.keyLength;
    boolean isUpdate = kind == UndoContentLayout.KIND_UPDATE;
    boolean isMove = kind == UndoContentLayout.KIND_MOVE;
    int oldBytesMax = isUpdate ? session.oldBytesRoom(version.rowLength) : isMove ? length : 0;
    PurgeNote note = session.note(store);
    try {
      txn.prepareUndo(LeafRecords.UNDO_BYTES + keyLength + oldBytesMax);
      mtr.begin(
          Math.max(
              TreePurge.MTR_BYTES,
              LeafRecords.MTR_BYTES + PurgeList.NOTE_BYTES + keyLength + oldBytesMax + length));
      tree.findLeafAt(session.ctx, cursor, version.pageId, version.key, 0, keyLength, true);
      if (isContended(txn, cursor)) {
        return CROWDED;
      }
      long page = cursor.guard.address();
      int slot = cursor.slot;
      if (slot < 0 || !version.isStampOf(TreePage.version(page, slot))) {
        return IS_STALE;
      }
      long header = TreePage.version(page, slot);
      int keep = isUpdate ? 0 : VersionHeader.flags(header) & VersionHeader.OVERFLOW;
      if (VersionHeader.isReused(header)) {
        keep |= reusedBy(header);
      }
      int newFlags = flags | keep;
      if (isUpdate) {
        int result =
            change(
                txn,
                session,
                oldBytesMax,
                kind,
                version.key,
                0,
                keyLength,
                newFlags,
                row,
                offset,
                length,
                version.contentHeader(),
                note);
        if (result > 0) {
          return store.purge().removeDead(mtr, cursor.guard, null) ? AGAIN : result;
        }
        if (result == AGAIN) {
          return AGAIN;
        }
      } else if (isMove) {
        LeafRecords.move(txn, cursor.guard, slot, version, newFlags, row, length);
      } else {
        LeafRecords.change(
            txn,
            cursor.guard,
            slot,
            kind,
            version.key,
            0,
            keyLength,
            newFlags,
            0,
            0,
            null,
            0,
            0,
            version.contentHeader());
      }
      mtr.commit();
      version.pageId = cursor.guard.pageId();
      if (kind == UndoContentLayout.KIND_DELETE || isMove) {
        txn.notePurge(version.pageId);
      }
      return DONE;
    } finally {
      cursor.guard.close();
      txn.releaseUndo();
      mtr.abandon();
      if (note != null) {
        note.close();
      }
    }
  }

  /**
   * Adds the redo and undo of a new row over the record at the cursor. Otherwise returns the bytes
   * for which there is no room on the leaf, or {@link #AGAIN} when undo space was reserved for
   * fewer old bytes than there are, or no place for noting a chain: then the next attempt reserves
   * the maximum, and the place.
   *
   * @param note for the old version's chain, null when none was expected
   */
  int change(
      Transaction txn,
      StoreSession session,
      int oldBytesMax,
      int kind,
      byte[] key,
      int keyOffset,
      int keyLength,
      int flags,
      byte[] row,
      int offset,
      int length,
      byte[] oldHeader,
      PurgeNote note) {
    TreeCursor cursor = session.cursor;
    long page = cursor.guard.address();
    int slot = cursor.slot;
    long old = TreePage.rowAddress(page, slot);
    int oldLength = TreePage.rowLength(page, slot);
    int growth = length - oldLength;
    boolean oldOverflow = VersionHeader.isOverflow(TreePage.version(page, slot));
    boolean lacksNote = oldOverflow && note == null;
    if (oldLength > oldBytesMax || lacksNote) {
      session.wantOldBytesRoom(); // request both, or each attempt would lack one of them
      if (oldOverflow) {
        session.wantNote();
      }
      return AGAIN;
    }
    if (growth > 0 && !tree.fits(page, growth)) {
      return growth;
    }
    int start = 0;
    int end = 0;
    if (!oldOverflow && (flags & VersionHeader.OVERFLOW) == 0) {
      start = LeafRecords.commonStart(old, oldLength, row, offset, length);
      end = LeafRecords.commonEnd(old, oldLength, row, offset, length, start);
    }
    LeafRecords.change(
        txn,
        cursor.guard,
        slot,
        kind,
        key,
        keyOffset,
        keyLength,
        flags,
        start,
        oldLength - start - end,
        row,
        offset,
        length - start - end,
        oldHeader);
    if (oldOverflow) {
      int chain = OverflowPage.firstPage(old);
      note.add(session.ctx.mtr(), PageId.of(tree.space(), chain), txn.xid());
    }
    return DONE;
  }

  /**
   * Inserts: OK, or DUPLICATE with the live row in {@code conflict}. Waits for an active
   * transaction that inserted or deleted this key to end.
   *
   * @param conflict null when the caller does not need the row
   * @throws GaussException 54000 when the key is too long
   */
  public Outcome insert(
      Transaction txn,
      byte[] key,
      int keyOffset,
      int keyLength,
      byte[] row,
      int rowOffset,
      int rowLength,
      RowVersion conflict) {
    checkKey(keyLength);
    StoreSession session = StoreSession.of(txn.context());
    if (!isLong(keyLength, rowLength)) {
      return rows.insert(
          txn, session, key, keyOffset, keyLength, 0, row, rowOffset, rowLength, conflict);
    }
    byte[] reference = writeOverflow(txn, session, row, rowOffset, rowLength);
    Outcome outcome = Outcome.DUPLICATE;
    try {
      outcome =
          rows.insert(
              txn,
              session,
              key,
              keyOffset,
              keyLength,
              VersionHeader.OVERFLOW,
              reference,
              0,
              reference.length,
              conflict);
    } finally {
      if (outcome != Outcome.OK) {
        freeOverflow(session, reference);
      }
    }
    return outcome;
  }

  /**
   * Inserts rows together, in the order of their keys, which makes the descent, the log and the
   * undo cheaper. Waits as the insert of a single row does.
   *
   * @return false when a live row has the key of one of them, or two have the same: then others may
   *     or may not have been inserted, and the caller undoes that
   * @throws GaussException 54000 when a key is too long; nothing has been inserted then
   */
  public boolean insert(Transaction txn, RowRun run) {
    checkKey(run.longestKey());
    return runs.insert(txn, run);
  }

  private static void checkKey(int keyLength) {
    if (keyLength > TreePage.MAX_KEY_BYTES) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED,
          "index row size "
              + keyLength
              + " exceeds the maximum of "
              + TreePage.MAX_KEY_BYTES
              + " bytes");
    }
  }

  static boolean isLong(int keyLength, int rowLength) {
    return TreePage.leafBytes(keyLength, rowLength) > TreePage.MAX_RECORD_BYTES;
  }

  private byte[] writeOverflow(
      Transaction txn, StoreSession session, byte[] row, int offset, int length) {
    int first = store.overflow().write(txn, session, tree.space(), row, offset, length);
    return OverflowPage.reference(first, length);
  }

  private void freeOverflow(StoreSession session, byte[] reference) {
    store
        .overflow()
        .free(session, tree.space(), OverflowPage.firstPage(reference, 0), Long.MAX_VALUE);
  }

  /** A scan over keys in [low, high) or as flags say; see {@link VersionedScan#open}. Reusable. */
  public VersionedScan newScan(EngineContext ctx) {
    return new VersionedScan(this, ctx);
  }

  Transactions transactions() {
    return store.transactions();
  }
}
