package io.gauss.compute.txn;

import io.gauss.common.deadlock.WaitNumber;
import io.gauss.common.error.GaussException;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.id.Xid;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoTableLayout;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.txn.undo.CommitTable;
import io.gauss.compute.txn.undo.UndoRedo;
import io.gauss.compute.txn.undo.UndoSegment;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The transactions of one session, one after the other. One gets its xid, and with it an undo
 * segment, at its first write; until then it writes nothing anywhere.
 *
 * <p>Not thread-safe: it belongs to the session, which moves between threads but is on one at a
 * time. Members that other threads read ({@link #waitNumber}, held table locks) are marked so.
 *
 * <p>Commit follows rule 2: pending, then the CSN is reserved by the MTR, then it is published,
 * each visible to all threads in this order. It waits only for log space, which it requests before
 * it changes any state.
 */
public final class Transaction {
  private final Transactions all;
  private final EngineContext ctx;
  private final long identity;
  private final Snapshot snapshot;
  private final List<Snapshot> kept = new CopyOnWriteArrayList<>();
  private long snapshotsTaken;
  private final LockWaiter waiter = new LockWaiter(this);
  private final HeldTableLocks tableLocks = new HeldTableLocks(this);

  /** Null while the session has never asked for one. */
  private volatile HeldAdvisoryLocks advisoryLocks;

  private final PageGuard undoGuard = new PageGuard();
  private final PageGuard tableGuard = new PageGuard();
  private final Rollback rollback;

  private boolean active;
  private IsolationLevel isolation = IsolationLevel.READ_COMMITTED;
  private boolean hasSnapshot;
  private long beginLsn;
  private long invisible;
  private long everInvisible; // in this transaction or an earlier one of the session
  private long lastCommitted;
  private long lastCsn;
  private long lockTimeoutNanos;
  private volatile long waitNumber;
  private final RowTurns turns = new RowTurns();

  private long xid;
  private UndoSegment segment;

  // The transaction's last undo record that is not undone, and the last that it wrote.
  private int lastPage;
  private int lastSlot;
  private int newestPage;
  private int newestSlot;
  private long statementStart;

  // Undo records in the open MTR.
  private int baseSlot;
  private int pending;
  private int undoPage;
  private int undoSlot;

  private RemoteAnswers remoteAnswers; // created when another node has to be asked

  private long[] purgePages = new long[16];
  private int purgeCount;

  Transaction(Transactions all, EngineContext ctx, long identity) {
    this.all = all;
    this.ctx = ctx;
    this.identity = identity;
    this.waitNumber = WaitNumber.first(all.clock().node(), identity);
    this.snapshot = new Snapshot(all.snapshots());
    this.rollback = new Rollback(all.segments());
  }

  // ---- life

  public void begin(IsolationLevel level) {
    Invariant.check(!active, "the transaction is active");
    active = true;
    isolation = level;
    hasSnapshot = false;
    invisible = 0;
    beginLsn = all.clock().now();
    waitNumber = WaitNumber.next(waitNumber);
  }

  public boolean isActive() {
    return active;
  }

  /** Whether a statement has run in this transaction. */
  public boolean hasSnapshot() {
    return hasSnapshot;
  }

  public IsolationLevel isolation() {
    return isolation;
  }

  /** Changes the level of a transaction that has no snapshot yet. */
  public void isolation(IsolationLevel level) {
    Invariant.check(!hasSnapshot, "the transaction has a snapshot");
    isolation = level;
  }

  public EngineContext context() {
    return ctx;
  }

  /** The xid, or {@code Xid.NONE} while nothing was written. */
  public long xid() {
    return xid;
  }

  /**
   * The xid, acquired now if need be. May wait for pages when a segment has to be made or extended.
   */
  public long ensureXid() {
    if (xid == Xid.NONE) {
      Invariant.check(active, "no transaction");
      UndoSegment acquired = all.segments().acquire(ctx);
      boolean begun = false;
      try {
        xid = acquired.begin(ctx, waitNumber());
        begun = true;
      } finally {
        if (!begun) {
          all.segments().release(acquired);
        }
      }
      segment = acquired;
      lastPage = 0;
      lastSlot = 0;
      newestPage = 0;
      newestSlot = 0;
    }
    return xid;
  }

  /** Sets how long a wait for a lock may take; 0 = no limit. */
  public void lockTimeoutNanos(long nanos) {
    lockTimeoutNanos = nanos;
  }

  long lockTimeoutNanos() {
    return lockTimeoutNanos;
  }

  // ---- statements and snapshots

  /**
   * The snapshot for the current statement: taken anew by {@link #startStatement} at READ
   * COMMITTED, once per transaction at REPEATABLE READ.
   */
  public Snapshot snapshot() {
    return snapshot;
  }

  /**
   * Begins a statement: registers the lower bound, reads the clock (rule 7), and remembers where
   * undo stands. Waits while the node may take no snapshots.
   */
  public void startStatement() {
    if (isolation == IsolationLevel.READ_COMMITTED || !snapshot.isOpen()) {
      all.snapshotGate().pass(ctx);
      snapshot.open(all.clock(), ++snapshotsTaken);
      hasSnapshot = true;
    } else {
      snapshot.advanceOwn(all.clock());
    }
    statementStart = savepoint();
  }

  /**
   * Runs the action once this session's last commit is visible; while that cannot be known, it is
   * not run.
   *
   * @param action quick, on any thread
   */
  public void whenVisible(Runnable action) {
    all.log()
        .whenVisible(
            lastCsn,
            failure -> {
              if (failure == null) {
                action.run();
              }
            });
  }

  /**
   * Whether the writer for which {@link LockWaits#await} was last called was active then; for a
   * writer of another node that is known only by asking.
   */
  public boolean metActiveWriter() {
    return turns.metWriter();
  }

  /**
   * Waits while the node may take no snapshots: afterwards its knowledge of other nodes is
   * complete.
   */
  public void awaitSnapshotGate() {
    all.snapshotGate().pass(ctx);
  }

  /** Ends the statement: a READ COMMITTED snapshot stops holding purge back. */
  public void endStatement() {
    turns.pass();
    if (isolation == IsolationLevel.READ_COMMITTED) {
      snapshot.close();
    }
  }

  /**
   * An independent copy of the current snapshot, for a cursor that outlives its statement; give it
   * back with {@link #releaseSnapshot} before the transaction ends.
   */
  public Snapshot keepSnapshot() {
    Snapshot copy = new Snapshot(all.snapshots());
    copy.set(snapshot.lsn(), snapshot.ownLsn(), snapshot.number());
    kept.add(copy);
    return copy;
  }

  /**
   * A snapshot of this moment, whatever the isolation level: sees all commits so far and all writes
   * of this transaction. For statements that have locked a table and must see all of it, such as
   * the filling of an index. Give it back with {@link #releaseSnapshot}.
   */
  public Snapshot freshSnapshot() {
    all.snapshotGate().pass(ctx);
    Snapshot fresh = new Snapshot(all.snapshots());
    fresh.open(all.clock(), ++snapshotsTaken);
    kept.add(fresh);
    return fresh;
  }

  public void releaseSnapshot(Snapshot copy) {
    kept.remove(copy);
    copy.giveUpSlot();
  }

  /**
   * The number of the oldest snapshot that this session has now: as long as it is the same, so is
   * the snapshot. 0 = none. Any thread: may be slightly old.
   */
  public long oldestSnapshot() {
    long oldest = snapshot.number();
    for (Snapshot copy : kept) {
      long number = copy.number();
      if (number != 0 && (oldest == 0 || number < oldest)) {
        oldest = number;
      }
    }
    return oldest;
  }

  /**
   * @throws GaussException 57P03 or 53100 while the log makes no progress, since the result could
   *     not be sent to the client; the statement fails now, instead of the connection when it
   *     answers
   */
  void sawInvisible(long csn) {
    all.log().checkWritable();
    if (csn > invisible) {
      invisible = csn;
      everInvisible = Math.max(everInvisible, csn);
    }
    ctx.dependOn(csn); // also of an answer that reports an error
  }

  /**
   * Highest LSN of a commit that this transaction's reads have seen before it could be confirmed to
   * clients: wait for it before answering. 0 = none.
   */
  public long mustBeVisible() {
    return invisible;
  }

  /**
   * Up to where commits must be visible before another session may go by what this one has done:
   * its own, and those that it has seen. A client need not have waited for the answers. 0 = none.
   */
  long dependsOn() {
    return Math.max(lastCsn, everInvisible);
  }

  // ---- undo

  /**
   * Makes sure that the undo page in use has room, pinned, for records of {@code maxBytes} in all
   * (chain headers and slots included: {@code UndoRecordLayout.CONTENT + UndoPage.SLOT_BYTES}
   * each). Acquires the xid. Before latches; may wait.
   */
  public void prepareUndo(int maxBytes) {
    ensureXid();
    if (segment.room() < maxBytes) {
      if (maxBytes > UndoPage.MAX_RECORD + UndoPage.SLOT_BYTES) {
        throw new IllegalArgumentException("undo records of " + maxBytes + " bytes on one page");
      }
      segment.nextUndoPage(ctx);
    }
    segment.readyUndo(ctx);
  }

  /**
   * Begins an undo record inside an open MTR, under the leaf's latch: latches the undo page (last
   * in latch order) and puts the chain header. The content follows through the MTR's put methods,
   * then {@link #endUndo}.
   *
   * @return the record's index in the MTR, for {@code mtr.putLsnOf}
   */
  public int startUndo(Mtr mtr) {
    int previousPage = lastPage;
    int previousSlot = lastSlot;
    if (undoGuard.isHeld()) {
      previousPage = undoPage;
      previousSlot = undoSlot;
    } else {
      segment.latchUndo(ctx, undoGuard);
      baseSlot = UndoPage.slotCount(undoGuard.address());
      pending = 0;
      undoPage = segment.undoPage();
    }
    undoSlot = baseSlot + pending;
    pending++;
    int index = mtr.nextIndex();
    mtr.startRecord(undoGuard, RedoType.UNDO_APPEND);
    mtr.putLsnOf(index);
    mtr.putLong(xid);
    mtr.putInt(previousPage);
    mtr.putShort(previousSlot);
    mtr.putShort(0);
    return index;
  }

  public void endUndo(Mtr mtr) {
    mtr.endRecord();
  }

  /** Page of the record begun last. */
  public int undoPage() {
    return undoPage;
  }

  /** Slot of the record begun last. */
  public int undoSlot() {
    return undoSlot;
  }

  /**
   * After the MTR was committed or abandoned: releases the undo page; no effect when it is not
   * latched. For finally. Pages change only when an MTR commits, so the page itself shows whether
   * it did.
   */
  public void releaseUndo() {
    if (undoGuard.isHeld()) {
      boolean written = false;
      try {
        if (UndoPage.slotCount(undoGuard.address()) == baseSlot + pending) {
          lastPage = undoPage;
          lastSlot = undoSlot;
          newestPage = undoPage;
          newestSlot = undoSlot;
          segment.appended(undoGuard);
          written = true;
        }
      } finally {
        undoGuard.close();
      }
      if (written) {
        turns.written(all.lockWaits());
      }
    }
    if (segment != null) {
      segment.letUndoGo(ctx);
    }
  }

  /** Position in undo to which a rollback can return. */
  public long savepoint() {
    return xid == Xid.NONE ? 0 : (long) lastPage << 16 | lastSlot;
  }

  /** Undoes what the current statement wrote. May wait. */
  public void rollbackStatement() {
    rollbackTo(statementStart);
  }

  /**
   * Undoes everything after the position. Table locks taken since are kept until the end; row locks
   * go with their headers, but transactions that wait for this one still wait for its end. May
   * wait.
   */
  public void rollbackTo(long savepoint) {
    if (xid != Xid.NONE) {
      undo((int) (savepoint >>> 16), (int) savepoint & 0xFFFF);
    }
  }

  private void undo(int stopPage, int stopSlot) {
    if (lastPage == stopPage && (lastPage == 0 || lastSlot == stopSlot)) {
      return;
    }
    turns.pass();
    rollback.start(ctx, segment, xid, newestPage, newestSlot, lastPage, lastSlot);
    try {
      rollback.run(all.applier(), stopPage, stopSlot, Long.MAX_VALUE);
    } finally {
      lastPage = rollback.page();
      lastSlot = rollback.slot();
    }
  }

  /**
   * Notes a leaf with a record that this transaction marked deleted, for purge after the commit.
   */
  public void notePurge(long leafPageId) {
    for (int i = purgeCount - 1; i >= 0 && i >= purgeCount - 4; i--) {
      if (purgePages[i] == leafPageId) {
        return;
      }
    }
    if (purgeCount == purgePages.length) {
      purgePages = Arrays.copyOf(purgePages, purgeCount * 2);
    }
    purgePages[purgeCount++] = leafPageId;
  }

  // ---- the end

  /**
   * Reserves the CSN in the log and ends the transaction for others on this node (row locks pass
   * on). The client is answered only after {@code LogBuffer.whenVisible} has called back for the
   * returned LSN. Never waits, unless the log is full: on an event loop this throws before anything
   * has changed.
   *
   * @return LSN to wait for; 0 for a transaction that wrote nothing and read nothing invisible
   */
  public long commit() {
    return commit(() -> {});
  }

  /**
   * As {@link #commit()}.
   *
   * @param publish runs once the commit is reserved and before any waiter for this transaction or
   *     its table locks continues; it must neither wait nor fail
   */
  public long commit(Runnable publish) {
    Invariant.check(active, "no transaction");
    if (xid == Xid.NONE) {
      long wait = invisible > all.log().visibleLsn() ? invisible : 0;
      publish.run();
      end(0);
      return wait;
    }
    long csn = logCommit();
    lastCommitted = xid;
    lastCsn = csn;
    publish.run();
    all.lockWaits().ended(segment, xid);
    if (purgeCount != 0) {
      all.purgeQueue().add(csn, purgePages, purgeCount);
    }
    all.metrics().commit();
    releaseSegment();
    end(csn);
    all.committed();
    return csn;
  }

  /**
   * The last committed transaction of this session while its commit may not be confirmed yet;
   * {@link Xid#NONE} when it may, or when there is none. It cannot be rolled back any more, and is
   * committed once the log has it.
   */
  public long openCommit() {
    return lastCsn > all.log().visibleLsn() ? lastCommitted : Xid.NONE;
  }

  /** CSN of this session's last commit that wrote something; for actions at a commit. */
  public long lastCsn() {
    return lastCsn;
  }

  private long logCommit() {
    long sequence = Xid.sequence(xid);
    CommitTable table = segment.table;
    Mtr mtr = ctx.mtr();
    boolean committed = false;
    try {
      mtr.begin(UndoRedo.MARK_BYTES);
      segment.latchEntry(ctx, tableGuard);
      int index = UndoRedo.writeOwnLsn(mtr, tableGuard, UndoTableLayout.entry(sequence));
      table.set(sequence, CommitTable.PENDING);
      FaultPoints.hit("txn.pending");
      mtr.commit();
      long csn = mtr.lsnOf(index);
      FaultPoints.hit("txn.reserved");
      table.set(sequence, csn);
      committed = true;
      return csn;
    } finally {
      if (!committed) {
        mtr.abandon();
        table.set(sequence, CommitTable.ACTIVE);
      }
      tableGuard.close();
    }
  }

  /**
   * Undoes everything and ends. May wait for pages; on an event loop call it on the session's
   * virtual thread. Cannot be interrupted. When it fails the transaction is still active and keeps
   * its rows; {@link #close} then leaves the rest to the background.
   */
  public void rollback() {
    if (!active) {
      return;
    }
    if (xid != Xid.NONE) {
      ctx.interrupts().hold();
      try {
        undo(0, 0);
        all.logAborted(ctx, segment, xid, tableGuard);
      } finally {
        ctx.interrupts().release();
      }
      all.metrics().rollback();
      releaseSegment();
    }
    end(0);
  }

  private void releaseSegment() {
    segment.end();
    all.segments().release(segment);
    segment = null;
    xid = Xid.NONE;
  }

  private void end(long csn) {
    turns.pass();
    tableLocks.releaseAll(Math.max(csn, invisible));
    releaseAdvisory(0);
    snapshot.close();
    purgeCount = 0;
    active = false;
    all.pool().transactionEnded();
  }

  /**
   * Ends the session: rolls back an active transaction, if need be in the background, and gives
   * back the slot.
   */
  public void close() {
    try {
      if (active) {
        rollback();
      }
    } catch (RuntimeException e) {
      all.abandoned()
          .add(new Orphans.Orphan(segment, xid, newestPage, newestSlot, lastPage, lastSlot), e);
      segment = null;
      xid = Xid.NONE;
      end(0);
    } finally {
      unlockAllAdvisory();
      snapshot.giveUpSlot();
      all.closed(this);
    }
  }

  // ---- table locks

  /**
   * Takes a table lock until the transaction ends; cheap when it is held already or no transaction
   * wants a strong mode. May wait.
   */
  public void lockTable(int table, TableLockMode mode) {
    tableLocks.lock(all.tableLocks().of(table), mode, all.detector(), all.metrics());
  }

  /** See {@link TableLock#leaseNumber}; any thread. */
  public long leaseNumber(int table, TableLockMode weak) {
    return all.tableLocks().of(table).leaseNumber(weak);
  }

  // ---- advisory locks

  /**
   * Takes an advisory lock, once more if the session has it.
   *
   * @param mode SHARE or EXCLUSIVE
   * @param untilEnd whether the lock ends with the transaction, or is the session's
   * @param now whether it is taken only if no other session has it; otherwise this may wait
   * @return false when it was for now and others have it
   * @throws GaussException 53200 when the node has too many; as other waits
   */
  public boolean lockAdvisory(LockName name, LockMode mode, boolean untilEnd, boolean now) {
    Invariant.check(active, "no transaction");
    if (advisoryLocks == null) {
      advisoryLocks = new HeldAdvisoryLocks(this, all.advisoryLocks());
    }
    return advisoryLocks.lock(name, mode, untilEnd, now);
  }

  /**
   * Gives up an advisory lock of the session once.
   *
   * @return false when the session does not have it
   */
  public boolean unlockAdvisory(LockName name, LockMode mode) {
    HeldAdvisoryLocks its = advisoryLocks;
    return its != null && its.unlock(name, mode);
  }

  /** Gives up all advisory locks of the session. */
  public void unlockAllAdvisory() {
    HeldAdvisoryLocks its = advisoryLocks;
    if (its != null) {
      its.unlockAll();
    }
  }

  /** Position in the advisory locks of the transaction, for {@link #releaseAdvisory}. */
  public int advisoryPosition() {
    HeldAdvisoryLocks its = advisoryLocks;
    return its == null ? 0 : its.position();
  }

  /** Gives up the advisory locks of the transaction that it took after the position. */
  public void releaseAdvisory(int position) {
    HeldAdvisoryLocks its = advisoryLocks;
    if (its != null) {
      its.rollbackTo(position);
    }
  }

  /** Whether the session has advisory locks that outlive the transaction. */
  public boolean hasSessionLocks() {
    HeldAdvisoryLocks its = advisoryLocks;
    return its != null && its.hasOfSession();
  }

  /** The advisory locks that the session has, also outside a transaction; any thread. */
  public List<TransactionActivity.HeldAdvisory> advisoryLocks() {
    HeldAdvisoryLocks its = advisoryLocks;
    return its == null ? List.of() : its.activity();
  }

  boolean holds(TableLock lock, TableLockMode mode) {
    return tableLocks.holds(lock, mode);
  }

  /** Adds the wait numbers of all transactions that hold a weak mode which conflicts. */
  void addWeakHolders(TableLock lock, TableLockMode wanted, List<Long> holders) {
    for (Transaction other : all.sessions()) {
      if (other != this) {
        other.tableLocks.addIfHolder(lock, wanted, holders);
      }
    }
  }

  /** From any thread: see {@link HeldTableLocks#addIfHolder}. */
  void addIfHolder(TableLock lock, TableLockMode wanted, List<Long> holders) {
    tableLocks.addIfHolder(lock, wanted, holders);
  }

  /** Whether other transactions may wait for it. */
  boolean hasLocks() {
    HeldAdvisoryLocks advisory = advisoryLocks;
    return xid != Xid.NONE || !tableLocks.isEmpty() || advisory != null && !advisory.isEmpty();
  }

  int stripe() {
    return (int) identity;
  }

  // ---- waits

  RowTurns turns() {
    return turns;
  }

  LockWaiter waiter() {
    return waiter;
  }

  /** The last answers of other nodes about their transactions. */
  RemoteAnswers remoteAnswers() {
    if (remoteAnswers == null) {
      remoteAnswers = new RemoteAnswers();
    }
    return remoteAnswers;
  }

  /**
   * Identifies this transaction among all that ever ran here, even before it has an xid. Any
   * thread.
   */
  long waitNumber() {
    return waitNumber;
  }

  /** The clock when it began: of two, the younger has the higher. */
  long beginLsn() {
    return beginLsn;
  }

  /** Its activity, for views; null when no transaction is active. Any thread. */
  public TransactionActivity activity() {
    long began = waitNumber;
    if (!active) {
      return null;
    }
    TransactionActivity activity =
        new TransactionActivity(
            xid,
            isolation,
            snapshot.isOpen() ? snapshot.lsn() : 0,
            tableLocks.activity(),
            waiter.activity(all.detector().nanos()));
    return waitNumber == began ? activity : null;
  }

  /** For messages. */
  String describe() {
    return xid == Xid.NONE ? "a transaction without changes" : "transaction " + Xid.toString(xid);
  }

  @Override
  public String toString() {
    return active ? describe() : "no transaction";
  }

  /** Levels that are implemented here; the session refuses SERIALIZABLE (0A000). */
  public enum IsolationLevel {
    READ_COMMITTED,
    REPEATABLE_READ
  }
}
