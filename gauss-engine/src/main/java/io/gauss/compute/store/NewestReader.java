package io.gauss.compute.store;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.VersionHeader;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.TreeScan;
import io.gauss.compute.txn.LockWaits;
import io.gauss.compute.txn.Snapshot;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.Visibility;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.txn.undo.LostChangeException;

/**
 * Reads of the newest version of rows, for writers: waits for other active writers, with no latch
 * held. Stateless; thread-safe.
 */
final class NewestReader {
  private final Store store;
  private final BTree tree;

  NewestReader(Store store, BTree tree) {
    this.store = store;
    this.tree = tree;
  }

  /** See {@link VersionedTree#readNewest}. */
  Outcome read(
      Transaction txn,
      Snapshot snapshot,
      byte[] key,
      int offset,
      int length,
      WaitPolicy policy,
      RowVersion out) {
    RowTrail trail = StoreSession.of(txn.context()).trail;
    trail.beginAny(key, offset, length);
    return read(txn, snapshot, trail, policy, out);
  }

  /** See {@link VersionedTree#readNewestOf}. */
  Outcome follow(
      Transaction txn,
      Snapshot snapshot,
      byte[] key,
      int offset,
      int length,
      WaitPolicy policy,
      RowVersion out) {
    RowTrail trail = StoreSession.of(txn.context()).trail;
    trail.begin(key, offset, length);
    Outcome outcome;
    do {
      outcome = read(txn, snapshot, trail, policy, out);
    } while (outcome == null);
    return outcome;
  }

  /** Reads under the trail's key; null when the trail goes on to another one. */
  private Outcome read(
      Transaction txn, Snapshot snapshot, RowTrail trail, WaitPolicy policy, RowVersion out) {
    byte[] key = trail.key;
    int offset = trail.offset;
    int length = trail.length;
    Transactions transactions = store.transactions();
    StoreSession session = StoreSession.of(txn.context());
    LostChangeException lost = null;
    while (true) {
      long writer;
      long leaf;
      try {
        tree.findLeafToWrite(session.ctx, session.cursor, key, offset, length);
        if (session.cursor.slot < 0) {
          return Outcome.NOT_FOUND;
        }
        long page = session.cursor.guard.address();
        long header = TreePage.version(page, session.cursor.slot);
        writer = VersionHeader.xid(header);
        boolean mayBeActive = !isOwn(txn, writer) && transactions.states().mayBeActive(txn, writer);
        leaf = session.cursor.guard.pageId();
        if (!trail.isOfRow(header)) {
          session.versions.trace(transactions, txn, snapshot, header, trail, session.releaseLeaf);
          if (trail.isNowhere()) {
            return Outcome.NOT_FOUND;
          }
          if (!trail.isEnded()) {
            continue; // the newest version is one of the row
          }
          // Only the newest version's writer can be active, and have ended the row.
          if (!mayBeActive || trail.endedBy() != writer) {
            return ended(transactions, txn, trail);
          }
        } else if (!mayBeActive) {
          out.copyRecord(page, session.cursor.guard.pageId(), session.cursor.slot);
          boolean overflow = VersionHeader.isOverflow(header);
          Outcome outcome = judge(transactions, session, txn, snapshot, header, out);
          if (outcome != Outcome.NOT_FOUND && !out.deleted) {
            // Also rows that this statement itself wrote: DDL replaces catalog rows twice.
            session.cursor.guard.close();
            fetchOverflow(session, overflow, out);
          }
          return outcome;
        }
      } catch (LostChangeException e) {
        lost = e.again(lost);
        continue;
      } finally {
        session.cursor.guard.close();
      }
      boolean isOver =
          transactions.lockWaits().await(txn, writer, row(key, offset, length), policy);
      if (!isOver || txn.metActiveWriter()) {
        tree.pool().rowIsTaken(leaf);
      }
      if (!isOver) {
        return Outcome.LOCKED;
      }
    }
  }

  /**
   * Another transaction has ended the row under the trail's key, and has committed, or this one
   * has; null when the trail goes on.
   */
  private static Outcome ended(Transactions transactions, Transaction txn, RowTrail trail) {
    if (isOwn(txn, trail.endedBy())) {
      return Outcome.SELF;
    }
    transactions.visibility().actOn(txn, trail.endedBy());
    if (txn.isolation() == Transaction.IsolationLevel.REPEATABLE_READ) {
      throw changedConcurrently(trail.goesOn() ? "update" : "delete");
    }
    if (!trail.goesOn()) {
      return Outcome.NOT_FOUND;
    }
    trail.step();
    return null;
  }

  static GaussException changedConcurrently(String how) {
    return new GaussException(
        SqlState.SERIALIZATION_FAILURE, "could not serialize access due to concurrent " + how);
  }

  /**
   * Judges a newest version that no other active transaction wrote; the leaf is latched and may be
   * released.
   */
  private Outcome judge(
      Transactions transactions,
      StoreSession session,
      Transaction txn,
      Snapshot snapshot,
      long header,
      RowVersion out) {
    VersionReader versions = session.versions;
    versions.skipLocks(transactions, header, session.releaseLeaf);
    if (out.lockedOnly && !isOwn(txn, out.xid)) {
      out.contentHeader(
          versions.flags, versions.xid, versions.undoPage, versions.undoSlot, versions.undoLsn);
    }
    int seen = transactions.visibility().judge(txn, snapshot, versions.xid, versions.undoLsn);
    if (seen == Visibility.UNRESOLVED) {
      session.releaseLeaf.run();
      seen = versions.judge(transactions, txn, snapshot) ? Visibility.SEEN : Visibility.UNSEEN;
    }
    if (seen == Visibility.SEEN) {
      return versions.isDeleted() ? Outcome.NOT_FOUND : Outcome.OK;
    }
    if (isOwn(txn, versions.xid)) {
      return Outcome.SELF;
    }
    transactions.visibility().actOn(txn, versions.xid);
    if (txn.isolation() == Transaction.IsolationLevel.REPEATABLE_READ) {
      session.releaseLeaf.run();
      boolean isGone = versions.isDeleted() && !versions.isMoved(transactions);
      throw changedConcurrently(isGone ? "delete" : "update");
    }
    return versions.isDeleted() ? Outcome.NOT_FOUND : Outcome.CHANGED;
  }

  private long row(byte[] key, int offset, int length) {
    return LockWaits.row(tree.space(), key, offset, length);
  }

  static boolean isOwn(Transaction txn, long writer) {
    return writer != Xid.NONE && writer == txn.xid();
  }

  /** Replaces an overflow reference in a copied row by the row. No latch may be held. */
  void fetchOverflow(StoreSession session, boolean overflow, RowVersion row) {
    if (!overflow) {
      return;
    }
    int first = LeafRecords.i32(row.row, 0);
    int bytes = LeafRecords.i32(row.row, 4);
    row.ensureRow(bytes);
    store.overflow().read(session, tree.space(), first, row.row, bytes);
    row.rowLength = bytes;
  }

  /** See {@link VersionedTree#findNewest}. */
  Outcome find(
      Transaction txn,
      byte[] low,
      int lowLength,
      boolean lowInclusive,
      byte[] high,
      int highLength,
      RowVersion out) {
    try (TreeScan scan = StoreSession.of(txn.context()).scan()) {
      scan.open(tree, low, lowLength, lowInclusive, high, highLength, true, false);
      return firstLive(txn, scan, low, lowLength, WaitPolicy.WAIT, out);
    }
  }

  /** See {@link VersionedTree#peekNewest}. */
  Outcome peek(Transaction txn, byte[] key, int length, RowVersion out) {
    try (TreeScan scan = StoreSession.of(txn.context()).scan()) {
      scan.open(tree, key, length, true, key, length, true, false);
      return firstLive(txn, scan, key, length, WaitPolicy.NO_WAIT, out);
    }
  }

  /**
   * @param key names what is waited for
   */
  private Outcome firstLive(
      Transaction txn, TreeScan scan, byte[] key, int length, WaitPolicy policy, RowVersion out) {
    Transactions transactions = store.transactions();
    StoreSession session = StoreSession.of(txn.context());
    LostChangeException lost = null;
    while (scan.next()) {
      long header = TreePage.version(scan.page(), scan.slot());
      long writer = VersionHeader.xid(header);
      if (!isOwn(txn, writer) && transactions.states().mayBeActive(txn, writer)) {
        if (transactions.states().isUnresolved(txn, writer)) {
          scan.pause();
          transactions.remote().resolve(txn, txn.snapshot().lsn(), writer);
          scan.repeat();
          continue;
        }
        VersionReader.Existence before;
        try {
          before = session.versions.existedBefore(transactions, header);
          if (before == VersionReader.Existence.NOT_AT_HAND) {
            scan.pause();
            session.versions.loadUndo(transactions);
            scan.repeat();
            continue;
          }
        } catch (LostChangeException e) {
          lost = e.again(lost);
          scan.pause();
          scan.repeat();
          continue;
        }
        if ((before == VersionReader.Existence.EXISTED) == VersionHeader.isDeleted(header)) {
          scan.pause();
          if (!transactions.lockWaits().await(txn, writer, row(key, 0, length), policy)) {
            return Outcome.LOCKED;
          }
          scan.repeat();
          continue;
        }
        // Whoever has made it exist, or not, before the active transaction.
        transactions.visibility().actOn(txn, session.versions.xid);
      }
      transactions.visibility().actOn(txn, writer);
      if (!VersionHeader.isDeleted(header)) {
        boolean overflow = VersionHeader.isOverflow(header);
        out.copyRecord(scan.page(), scan.pageId(), scan.slot());
        scan.pause();
        fetchOverflow(session, overflow, out);
        return Outcome.OK;
      }
    }
    return Outcome.NOT_FOUND;
  }

  /** See {@link VersionedTree#hasOwn}. */
  boolean hasOwn(Transaction txn, byte[] key, int length) {
    try (TreeScan scan = StoreSession.of(txn.context()).scan()) {
      scan.open(tree, key, length, true, key, length, true, false);
      while (scan.next()) {
        long header = TreePage.version(scan.page(), scan.slot());
        if (isOwn(txn, VersionHeader.xid(header)) && !VersionHeader.isDeleted(header)) {
          return true;
        }
      }
      return false;
    }
  }

  /** See {@link VersionedTree#mayHaveSeveral}. */
  boolean mayHaveSeveral(Transaction txn, byte[] key, int length) {
    Transactions transactions = store.transactions();
    int count = 0;
    try (TreeScan scan = StoreSession.of(txn.context()).scan()) {
      scan.open(tree, key, length, true, key, length, true, false);
      while (count < 2 && scan.next()) {
        long header = TreePage.version(scan.page(), scan.slot());
        long writer = VersionHeader.xid(header);
        if (!VersionHeader.isDeleted(header)
            || !isOwn(txn, writer) && transactions.states().mayBeActive(txn, writer)) {
          count++;
        }
      }
    }
    return count == 2;
  }
}
