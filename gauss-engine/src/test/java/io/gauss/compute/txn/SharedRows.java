package io.gauss.compute.txn;

import io.gauss.common.id.LamportClock;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.txn.undo.UndoApplier;
import io.gauss.compute.txn.undo.UndoStep;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongUnaryOperator;

/**
 * Versioned numbers that several nodes share as if a coherence protocol moved them: a row's lock is
 * the right to it, and the clocks of those who had it travel with it (rule 3). Versions are kept
 * here; undo records name the row, so that rollback and recovery take versions back.
 */
final class SharedRows implements UndoApplier {
  private static final int UNDO_BYTES = UndoRecordLayout.CONTENT + 2 + UndoPage.SLOT_BYTES;

  private final Row[] rows;

  /** Written by a transaction; 0 = always there. */
  record Version(long xid, long undoLsn, long value) {}

  private static final class Row {
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Version> versions = new ArrayDeque<>(List.of(new Version(0, 0, 0)));
    private long clock;

    /** The row comes to a node. */
    private void comeTo(LamportClock node) {
      lock.lock();
      node.observe(clock);
    }

    private void leave(LamportClock node) {
      clock = Math.max(clock, node.now());
      lock.unlock();
    }
  }

  SharedRows(int count) {
    rows = new Row[count];
    Arrays.setAll(rows, i -> new Row());
  }

  int count() {
    return rows.length;
  }

  /** What the transaction's snapshot sees. */
  long read(NodesFixture.Node node, Transaction txn, int row) {
    return read(node, txn, txn.snapshot(), row);
  }

  long read(NodesFixture.Node node, Transaction txn, Snapshot snapshot, int row) {
    Row shared = rows[row];
    List<Version> versions;
    shared.comeTo(node.engine.clock());
    try {
      // Legal under a latch.
      Version newest = shared.versions.getFirst();
      if (judge(node, txn, snapshot, newest) == Visibility.SEEN) {
        return newest.value;
      }
      versions = new ArrayList<>(shared.versions);
    } finally {
      shared.leave(node.engine.clock());
    }
    for (Version version : versions) {
      int seen = judge(node, txn, snapshot, version);
      while (seen == Visibility.UNRESOLVED) {
        RemoteXids remote = node.transactions.remote();
        remote.begin(txn);
        versions.forEach(one -> remote.want(txn, snapshot.lsn(), one.xid));
        remote.resolve(txn, snapshot.lsn());
        seen = judge(node, txn, snapshot, version);
      }
      if (seen == Visibility.SEEN) {
        return version.value;
      }
    }
    throw new AssertionError("no version of row " + row + " is visible");
  }

  private static int judge(
      NodesFixture.Node node, Transaction txn, Snapshot snapshot, Version version) {
    return node.transactions.visibility().judge(txn, snapshot, version.xid, version.undoLsn);
  }

  /** Who wrote the newest version. */
  long writer(int row) {
    rows[row].lock.lock();
    try {
      return rows[row].versions.getFirst().xid;
    } finally {
      rows[row].lock.unlock();
    }
  }

  /** Changes the newest version when no other transaction that is active wrote it. */
  boolean update(
      NodesFixture.Node node,
      Transaction txn,
      int row,
      WaitPolicy policy,
      LongUnaryOperator change) {
    Row shared = rows[row];
    while (true) {
      txn.prepareUndo(UNDO_BYTES);
      long blocker;
      shared.comeTo(node.engine.clock());
      try {
        Version newest = shared.versions.getFirst();
        blocker = newest.xid;
        if (blocker == txn.xid() || !node.transactions.states().mayBeActive(txn, blocker)) {
          long lsn = logUndo(txn, row);
          shared.versions.addFirst(new Version(txn.xid(), lsn, change.applyAsLong(newest.value)));
          return true;
        }
      } finally {
        shared.leave(node.engine.clock());
      }
      if (!node.transactions.lockWaits().await(txn, blocker, row, policy)) {
        return false;
      }
    }
  }

  private static long logUndo(Transaction txn, int row) {
    Mtr mtr = txn.context().mtr();
    try {
      mtr.begin(128);
      int index = txn.startUndo(mtr);
      mtr.putShort(row);
      txn.endUndo(mtr);
      mtr.commit();
      return mtr.lsnOf(index);
    } finally {
      mtr.abandon();
      txn.releaseUndo();
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
    Row row = rows[record[content] & 0xFF | (record[content + 1] & 0xFF) << 8];
    row.lock.lock();
    try {
      if (row.versions.getFirst().xid != xid) {
        throw new IllegalStateException("the newest version is another transaction's");
      }
      row.versions.removeFirst();
    } finally {
      row.lock.unlock();
    }
    return false;
  }
}
