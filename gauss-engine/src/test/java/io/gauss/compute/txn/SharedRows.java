package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.txn.undo.UndoApplier;
import io.gauss.compute.txn.undo.UndoRedo;
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
 * the right to it, and the clocks of those who had it travel with it (rule 3). A row leaves a node
 * when the node's log is durable through the row's last change (law 3), and a node that dies takes
 * those changes back that are not durable. Versions are kept here; undo records name the row, so
 * that rollback and recovery take versions back.
 */
final class SharedRows {
  private static final int UNDO_BYTES = UndoRecordLayout.CONTENT + 2 + UndoPage.SLOT_BYTES;

  private final Row[] rows;

  /** Written by a transaction; 0 = always there. */
  record Version(long xid, long undoLsn, long value) {}

  /**
   * A change of a row.
   *
   * @param lsn in the log of the node that has the row
   * @param before the versions that it found
   */
  private record Change(long lsn, List<Version> before) {}

  private static final class Row {
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Version> versions = new ArrayDeque<>(List.of(new Version(0, 0, 0)));
    private long clock;
    private LogBuffer log; // of the node that has changed it last
    private final Deque<Change> changes = new ArrayDeque<>(); // there, maybe not durable

    /** The row comes to a node: it is locked, and all that another node did to it is durable. */
    private void comeTo(LogBuffer node) {
      lock.lock();
      while (log != node && !changes.isEmpty()) {
        LogBuffer before = log;
        long last = changes.getLast().lsn;
        if (last <= before.durableLsn()) {
          changes.clear();
          break;
        }
        lock.unlock();
        force(before, last);
        lock.lock();
      }
      node.clock().observe(clock);
    }

    private static void force(LogBuffer log, long lsn) {
      try {
        log.awaitDurable(new EngineContext(log), lsn);
      } catch (GaussException e) {
        // Its node is dead, as all will know soon.
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        Thread.yield();
      }
    }

    private void leave(LogBuffer node) {
      clock = Math.max(clock, node.clock().now());
      lock.unlock();
    }

    /** Before its versions are changed. */
    private void changes(LogBuffer node, long lsn) {
      while (!changes.isEmpty() && changes.getFirst().lsn <= node.durableLsn()) {
        changes.removeFirst();
      }
      log = node;
      changes.add(new Change(lsn, List.copyOf(versions)));
    }

    private void lost(LogBuffer node, long durable) {
      lock.lock();
      try {
        if (log == node) {
          changes.stream()
              .filter(change -> change.lsn > durable)
              .findFirst()
              .ifPresent(
                  change -> {
                    versions.clear();
                    versions.addAll(change.before);
                  });
          changes.clear();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  SharedRows(int count) {
    rows = new Row[count];
    Arrays.setAll(rows, i -> new Row());
  }

  /** A node is dead, and what it did after that LSN never was. */
  void lost(LogBuffer node, long durable) {
    for (Row row : rows) {
      row.lost(node, durable);
    }
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
    shared.comeTo(node.engine.log());
    try {
      // Legal under a latch.
      Version newest = shared.versions.getFirst();
      if (judge(node, txn, snapshot, newest) == Visibility.SEEN) {
        return newest.value;
      }
      versions = new ArrayList<>(shared.versions);
    } finally {
      shared.leave(node.engine.log());
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
      shared.comeTo(node.engine.log());
      try {
        Version newest = shared.versions.getFirst();
        blocker = newest.xid;
        if (blocker == txn.xid() || !node.transactions.states().mayBeActive(txn, blocker)) {
          long lsn = logUndo(txn, row);
          shared.changes(node.engine.log(), lsn);
          shared.versions.addFirst(new Version(txn.xid(), lsn, change.applyAsLong(newest.value)));
          return true;
        }
      } finally {
        shared.leave(node.engine.log());
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

  /** Takes changes back on the node that has this log. */
  UndoApplier applier(LogBuffer node) {
    return (ctx, xid, page, slot, record, length, step) -> {
      undo(node, ctx, xid, record, step);
      return true;
    };
  }

  private void undo(LogBuffer node, EngineContext ctx, long xid, byte[] record, UndoStep step) {
    int content = UndoRecordLayout.CONTENT;
    Row row = rows[record[content] & 0xFF | (record[content + 1] & 0xFF) << 8];
    Mtr mtr = ctx.mtr();
    step.ready();
    row.comeTo(node);
    try {
      if (row.versions.getFirst().xid != xid) {
        throw new IllegalStateException("the newest version is another transaction's");
      }
      mtr.beginRollback(UndoRedo.MARK_BYTES);
      step.append(mtr);
      row.changes(node, mtr.commit());
      row.versions.removeFirst();
    } finally {
      mtr.abandon();
      row.leave(node);
    }
  }
}
