package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.health.Problem;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Xid;
import io.gauss.common.page.UndoTableLayout;
import io.gauss.common.runtime.ArrivalSet;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Handlers;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.peer.TransportPeers;
import io.gauss.compute.space.Spaces;
import io.gauss.compute.txn.base.TransactionMetrics;
import io.gauss.compute.txn.base.TransactionSettings;
import io.gauss.compute.txn.undo.PurgeHorizon;
import io.gauss.compute.txn.undo.PurgeList;
import io.gauss.compute.txn.undo.SnapshotRegistry;
import io.gauss.compute.txn.undo.UndoApplier;
import io.gauss.compute.txn.undo.UndoFetch;
import io.gauss.compute.txn.undo.UndoReader;
import io.gauss.compute.txn.undo.UndoRedo;
import io.gauss.compute.txn.undo.UndoSegment;
import io.gauss.compute.txn.undo.UndoSegments;
import io.gauss.compute.txn.undo.UndoSlots;
import io.gauss.compute.txn.wire.TransactionMessages;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Everything about transactions of one compute node: sessions, undo segments, snapshots, waits,
 * rollback of transactions that a crash or a lost session left, purge.
 *
 * <p>Life: {@link #recover}, {@link #start}, sessions, {@link #stop}. Thread-safe unless stated
 * otherwise.
 */
public final class Transactions {
  private static final long ORPHAN_POLL_NANOS = 1_000_000;

  private final LamportClock clock;
  private final LogBuffer log;
  private final BufferPool pool;
  private final TransactionSettings settings;
  private final TransactionMetrics metrics = new TransactionMetrics();
  private final SnapshotRegistry snapshots = new SnapshotRegistry();
  private final PurgeHorizon horizon;
  private final UndoSegments segments;
  private final UndoSlots slots;
  private final XidStates states;
  private final RemoteXids remote;
  private final TransactionLinks links;
  private final PeerNodes peers;
  private final ReentrantLock reading = new ReentrantLock();
  private final Spaces spaces;
  private final LongSupplier nanoClock;
  private final Visibility visibility;
  private final DeadlockDetector detector;
  private final LockWaits lockWaits;
  private final TableLocks tableLocks = new TableLocks();
  private final AdvisoryLocks advisoryLocks;
  private final UndoReader undoReader;
  private final PurgeQueue purgeQueue = new PurgeQueue(metrics);
  private final PurgeSearch purgeSearch = new PurgeSearch(this);
  private final Orphans orphans = new Orphans(this);
  private final Set<Transaction> sessions = new ArrivalSet<>();
  private final AtomicLong identities = new AtomicLong();
  private final Maintenance maintenance;
  private volatile UndoApplier applier;
  private SnapshotGate snapshotGate = SnapshotGate.OPEN;

  /**
   * @param clock numbered: the node's number is the compute slot whose undo segments it writes
   * @param nanoClock monotonic nanoseconds
   */
  public Transactions(
      LogBuffer log,
      BufferPool pool,
      Spaces spaces,
      TransactionSettings settings,
      LongSupplier nanoClock) {
    this(log, pool, spaces, settings, nanoClock, PeerNodes.NONE, log.clock()::node);
  }

  /**
   * One of several compute nodes.
   *
   * @param deadlockHost slot of the node that runs the deadlock detector now
   */
  public Transactions(
      LogBuffer log,
      BufferPool pool,
      Spaces spaces,
      TransactionSettings settings,
      LongSupplier nanoClock,
      PeerNodes peers,
      IntSupplier deadlockHost) {
    this.clock = log.clock();
    this.log = log;
    this.pool = pool;
    this.settings = settings;
    this.horizon = new PurgeHorizon(clock, log, snapshots);
    this.segments =
        new UndoSegments(pool, spaces, clock.node(), log, horizon, settings, metrics, nanoClock);
    this.slots = new UndoSlots(segments);
    this.spaces = spaces;
    this.nanoClock = nanoClock;
    this.peers = peers;
    this.remote = new RemoteXids(slots, horizon, peers, this::readSegments, metrics);
    this.states = new XidStates(slots, horizon, remote);
    this.visibility = new Visibility(clock.node(), states, horizon, log);
    this.detector = new DeadlockDetector(settings.deadlockCheckNanos(), nanoClock, metrics);
    this.advisoryLocks = new AdvisoryLocks(settings.advisoryLocks(), detector);
    this.lockWaits = new LockWaits(states, slots, detector, metrics);
    this.links = new TransactionLinks(this, log, detector, lockWaits, metrics, peers, deadlockHost);
    this.undoReader = new UndoReader(pool);
    undoReader.fetch(UndoFetch.ofNode(clock.node()));
    this.maintenance = new Maintenance(this, nanoClock);
  }

  /**
   * Creates the first page of a fresh undo space; no effect when it exists. {@link #recover} does
   * this as well.
   */
  public void format(EngineContext ctx) {
    segments.format(ctx);
  }

  /**
   * Finds the undo segments after redo, and rolls back what was active; the rest of large ones is
   * left to the background, while they still hold their rows. The applier must be set.
   *
   * @return the number of transactions that were active
   */
  public int recover(EngineContext ctx) {
    segments.format(ctx);
    return new UndoRecovery(this, segments, ctx).run();
  }

  /** Starts the background threads. */
  public void start() {
    maintenance.start();
  }

  /** Stops the background threads and waits for them. Sessions have ended. */
  public void stop() {
    tableLocks.stop();
    maintenance.stop();
  }

  /**
   * A transaction object for a session, reused for all its transactions until {@link
   * Transaction#close}.
   */
  public Transaction session(EngineContext ctx) {
    Transaction transaction = new Transaction(this, ctx, identities.incrementAndGet());
    sessions.add(transaction);
    return transaction;
  }

  void closed(Transaction transaction) {
    sessions.remove(transaction);
  }

  /**
   * Makes other nodes repeat their questions until {@link #register}. Before this node can be
   * reached.
   */
  public static void expect(Handlers handlers) {
    handlers.later(TransactionMessages.XIDS).later(TransactionMessages.OUTCOME);
  }

  /**
   * Adds the handlers for other nodes' questions and messages about transactions; once undo
   * segments are read.
   *
   * @param receiving gets the messages of sessions
   */
  public void register(Handlers handlers, TransportPeers receiving) {
    links.register(handlers, receiving);
  }

  /**
   * Stands in for a dead node: finds its undo segments, answers about its transactions from then
   * on, and rolls back those that it left active; the rest of large ones is left to the background.
   * Its stream is sealed and applied, this node's clock is above the stream's last LSN, and so are
   * those of all live nodes (rules 10 and 11). The caller then informs the other nodes.
   *
   * @return the number of transactions that were active
   */
  public int takeOver(EngineContext ctx, int slot) {
    if (slots.find(slot) != null) {
      // Not a broken invariant: the takeover is tried again after it has failed halfway.
      throw new IllegalStateException("the segments of slot " + slot + " are held here");
    }
    UndoSegments theirs = segmentsOf(slot);
    UndoRecovery recovery = new UndoRecovery(this, theirs, ctx);
    if (recovery.isFormatted()) {
      return recovery.run();
    }
    slots.hold(theirs);
    return 0;
  }

  private UndoSegments segmentsOf(int slot) {
    return new UndoSegments(pool, spaces, slot, log, horizon, settings, metrics, nanoClock);
  }

  /**
   * See {@link SegmentReading}. What was read is used only if the slot was at rest all the time:
   * its node may come back while its segments are read, and write them (rule 34).
   */
  void readSegments(EngineContext ctx, int slot) {
    ctx.waits().beforeWait();
    reading.lock();
    try {
      PeerNodes.Answerer seen = peers.answerer(slot);
      if (seen.by() != peers.self() || slots.find(slot) != null) {
        return;
      }
      UndoSegments theirs = segmentsOf(slot);
      try {
        findAtRest(ctx, theirs);
      } catch (GaussException e) {
        if (peers.answerer(slot) != seen) {
          return; // what was found was in the middle of a change
        }
        throw e;
      }
      FaultPoints.hit("undo.read");
      slots.holdAtRest(theirs, () -> peers.answerer(slot) == seen);
    } finally {
      reading.unlock();
    }
  }

  private void findAtRest(EngineContext ctx, UndoSegments theirs) {
    UndoRecovery recovery = new UndoRecovery(this, theirs, ctx);
    if (recovery.isFormatted() && recovery.find() > 0) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "slot "
              + theirs.slot()
              + " has an unfinished transaction, though it counts as recovered");
    }
  }

  /**
   * Another node answers for a slot, or none does, or its node has lived again. A node that stands
   * in for the slot gives it up by itself ({@link #giveBack}), unless another one does so already.
   */
  void answersChanged(int slot) {
    int by = peers.answering(slot);
    if (by > 0 && by != peers.self()) {
      giveBack(slot);
    } else {
      slots.releaseAtRest(slot);
    }
  }

  /** The pages that this node has to give back to spaces when no snapshot can need them. */
  public PurgeList purgeList() {
    return segments.purgeList();
  }

  /**
   * The list to which a transaction adds that runs or is rolled back on this node.
   *
   * @param xid of a slot whose segments this node holds
   */
  public PurgeList purgeListOf(long xid) {
    return slots.find(Xid.slot(xid)).purgeList();
  }

  /**
   * Takes over the purge list of a slot that this node recovers. The slot's transactions have all
   * ended, and its node does not come back before this has returned. May wait.
   *
   * @return number of pages, or chains of them
   */
  public int adoptPurgeList(EngineContext ctx, int slot) {
    PurgeList theirs = segmentsOf(slot).purgeList();
    theirs.load(ctx, clock.now()); // as it is now, whether this node still answers for them or not
    return segments.purgeList().adopt(ctx, theirs);
  }

  /** Notes a leaf with deleted records that may not have been noted yet, for purge soon. */
  public void purgeSoon(long leafPageId) {
    purgeQueue.add(0, new long[] {leafPageId}, 1);
  }

  /** Whether transactions of a slot that was taken over are still being rolled back. */
  public boolean hasUnfinished(int slot) {
    return orphans.hasAnyOf(slot);
  }

  /**
   * Lets another node answer for a slot that was taken over: the slot's own node, which comes back.
   * The recoverer does this before it reports that the recovery is over, since the slot's node may
   * begin at that moment, and what is known of its segments here is out of date then (rule 34).
   *
   * @return false when its last transaction is not rolled back yet; then nothing has changed
   */
  public boolean giveBack(int slot) {
    if (slot == clock.node()) {
      throw new IllegalArgumentException("slot " + slot + " is this node's own");
    }
    if (hasUnfinished(slot)) {
      return false;
    }
    slots.release(slot);
    return true;
  }

  /** This node's slot. */
  public int node() {
    return clock.node();
  }

  /** This node's knowledge of other nodes' transactions. */
  public RemoteXids remote() {
    return remote;
  }

  public XidStates states() {
    return states;
  }

  public Visibility visibility() {
    return visibility;
  }

  public LockWaits lockWaits() {
    return lockWaits;
  }

  public PurgeHorizon horizon() {
    return horizon;
  }

  public UndoReader undoReader() {
    return undoReader;
  }

  public TransactionMetrics metrics() {
    return metrics;
  }

  /** Snapshots open now. */
  public int openSnapshots() {
    return snapshots.open();
  }

  /** Leaves with deleted records that wait for purge. */
  int purgeQueueLength() {
    return purgeQueue.length();
  }

  /** Distance between the clock and the purge horizon, in LSN counter steps. */
  long historyLength() {
    return Math.max(0, (clock.now() >>> 8) - (horizon.lsn() >>> 8));
  }

  /** Transactions that wait for a row or a table now. */
  public int waiting() {
    return detector.waiting();
  }

  /** Undo segments made so far. */
  int undoSegments() {
    return segments.count();
  }

  /**
   * How long the purge horizon has been held at or below its present value, to the precision of its
   * computation: the age of the oldest snapshot when there is one.
   */
  long oldestSnapshotNanos() {
    return maintenance.horizonAgeNanos();
  }

  /** To be set before recovery. */
  public void applier(UndoApplier undoApplier) {
    this.applier = undoApplier;
  }

  /** To be set before the first session: decides whether snapshots may be taken now. */
  public void snapshotGate(SnapshotGate gate) {
    this.snapshotGate = gate;
  }

  SnapshotGate snapshotGate() {
    return snapshotGate;
  }

  /** To be set before the background threads start. */
  public void leafPurge(LeafPurge purge) {
    maintenance.leafPurge(purge);
  }

  /** Computes the purge horizon now; the background thread does so all the time. */
  public void refreshHorizon() {
    maintenance.refreshHorizon();
  }

  /**
   * Purges now everything that the horizon allows; the background thread does so all the time. Not
   * to be used after {@link #start}.
   */
  public void purge(EngineContext ctx) {
    maintenance.purge(ctx);
  }

  /** The problems of purge and rollback in the background. */
  public List<Problem> problems() {
    Problem problem = maintenance.problem();
    return problem == null ? List.of() : List.of(problem);
  }

  /**
   * Runs an action while purge and rollback in the background are paused; they continue afterwards.
   * May wait for their present round to end.
   */
  public void withoutMaintenance(Runnable action) {
    maintenance.whilePaused(action);
  }

  /** Logs and publishes that a transaction is undone to its beginning, and wakes its waiters. */
  void logAborted(EngineContext ctx, UndoSegment segment, long xid, PageGuard guard) {
    long sequence = Xid.sequence(xid);
    long page = segment.id(segment.table.pageOf(sequence));
    pool.pin(ctx, page);
    Mtr mtr = ctx.mtr();
    try {
      mtr.beginRollback(UndoRedo.MARK_BYTES);
      pool.write(ctx, page, guard);
      PageRecords.writeLong(
          mtr, guard, UndoTableLayout.entry(sequence), UndoTableLayout.ENTRY_ABORTED);
      long lsn = mtr.commit();
      segment.table.set(sequence, -lsn);
    } finally {
      mtr.abandon();
      guard.close();
      pool.unpin(page);
    }
    lockWaits.ended(segment, xid);
    maintenance.ended();
  }

  /** There is one to roll back in the background. */
  void orphaned() {
    maintenance.orphaned();
  }

  /** A transaction of this node has committed. */
  void committed() {
    maintenance.ended();
  }

  Orphans abandoned() {
    return orphans;
  }

  /** Xids of the transactions that are rolled back in the background. */
  public long[] orphans() {
    return orphans.xids();
  }

  /**
   * The outcome of a transaction, final unless it is in progress: waits for a rollback in the
   * background to end, and makes the asker answer its client only when a commit reported to it is
   * visible (rules 4 and 24). While the log makes no progress, a commit that waits for it counts as
   * in progress.
   *
   * @param asker an active transaction
   */
  public XidStates.Outcome outcome(long xid, Transaction asker) {
    UndoSegments held = slots.find(Xid.slot(xid));
    if (held == null) {
      return links.outcomes().ask(xid, asker.context());
    }
    XidStates.Outcome outcome = XidStates.outcome(held, xid);
    while (outcome == XidStates.Outcome.IN_PROGRESS && orphans.has(xid)) {
      asker.context().waits().beforeWait();
      Environment.parkNanos(ORPHAN_POLL_NANOS);
      outcome = XidStates.outcome(held, xid);
    }
    if (outcome == XidStates.Outcome.COMMITTED) {
      long csn = states.status(held, xid);
      if (csn > XidStates.OVERWRITTEN && csn > log.visibleLsn() && Xid.slot(xid) == clock.node()) {
        if (log.refusal() != null) {
          return XidStates.Outcome.IN_PROGRESS;
        }
        asker.sawInvisible(csn);
      }
    }
    return outcome;
  }

  /**
   * Rolls back orphans, at most {@code budget} records of each.
   *
   * @return false when some are left
   */
  boolean rollBackOrphans(EngineContext ctx, long budget) {
    return orphans.rollBack(ctx, budget);
  }

  /** Whether the last attempts to roll back those that are left have failed. */
  boolean orphansHaveFailed() {
    return orphans.haveFailed();
  }

  LamportClock clock() {
    return clock;
  }

  public LogBuffer log() {
    return log;
  }

  BufferPool pool() {
    return pool;
  }

  TransactionSettings settings() {
    return settings;
  }

  SnapshotRegistry snapshots() {
    return snapshots;
  }

  UndoSegments segments() {
    return segments;
  }

  UndoSlots slots() {
    return slots;
  }

  TransactionLinks links() {
    return links;
  }

  DeadlockDetector detector() {
    return detector;
  }

  /**
   * To be set before the first lock is taken, on one of several compute nodes: from now on table
   * and advisory locks are shared by all of them.
   */
  public void leases(NodeLocks locks) {
    locks.attach(this);
    tableLocks.leases(locks);
    advisoryLocks.leases(locks);
    detector.leases(locks);
  }

  AdvisoryLocks advisoryLocks() {
    return advisoryLocks;
  }

  TableLocks tableLocks() {
    return tableLocks;
  }

  PurgeQueue purgeQueue() {
    return purgeQueue;
  }

  PurgeSearch purgeSearch() {
    return purgeSearch;
  }

  Set<Transaction> sessions() {
    return sessions;
  }

  UndoApplier applier() {
    return applier;
  }
}
