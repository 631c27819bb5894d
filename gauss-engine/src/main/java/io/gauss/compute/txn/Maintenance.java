package io.gauss.compute.txn;

import io.gauss.common.error.Outage;
import io.gauss.common.health.Problem;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.undo.UndoSegment;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two background threads: one keeps the purge horizon up to date and never waits for pages; the
 * other rolls back orphans, purges leaves and gives back surplus undo pages, all of which may wait.
 */
final class Maintenance {
  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);
  private static final int PURGE_BATCH = 256;
  private static final long ORPHAN_BUDGET = 10_000;
  private static final int IDLE_ROUNDS = 8;

  /** Rounds of purge that found nothing, after which it rests for longer. */
  private static final int PURGE_IDLE_ROUNDS = 10;

  /** How long the horizon is left alone at most while no transaction of this node waits for it. */
  private static final long DOZE_NANOS = 1_000_000_000L;

  private static final long FAILURE_PAUSE_NANOS =
      5_000_000_000L; // a full disk stays full for a while

  private final Transactions all;
  private volatile boolean stopped;
  private volatile boolean dozing;
  private volatile Thread horizonThread;
  private volatile Thread purgeThread;
  private LeafPurge leafPurge = LeafPurge.NONE;
  private final LongSupplier nanoClock;
  private volatile long lastRise;
  private volatile boolean heldBack;
  private volatile String failure;
  private final ReentrantLock round = new ReentrantLock();

  Maintenance(Transactions all, LongSupplier nanoClock) {
    this.all = all;
    this.nanoClock = nanoClock;
  }

  /** Time since the horizon stopped rising because of a snapshot; 0 when none holds it back. */
  long horizonAgeNanos() {
    return heldBack ? nanoClock.getAsLong() - lastRise : 0;
  }

  /** Why purge makes no progress; null when it does. */
  Problem problem() {
    String why = failure;
    return why == null ? null : new Problem("purge fails", why);
  }

  void leafPurge(LeafPurge purge) {
    this.leafPurge = purge;
  }

  void start() {
    stopped = false;
    horizonThread = Environment.start("gauss-horizon", this::keepHorizon);
    purgeThread = Environment.start("gauss-purge", this::keepPurging);
  }

  void stop() {
    stopped = true;
    join(horizonThread);
    join(purgeThread);
  }

  private static void join(Thread thread) {
    if (thread == null) {
      return;
    }
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void keepHorizon() {
    long interval = all.settings().horizonIntervalNanos();
    int idle = 0;
    while (!stopped) {
      long before = all.horizon().lsn();
      boolean done = horizonRound();
      if (done) {
        doze();
        idle = 0;
      } else {
        idle = all.horizon().lsn() == before ? Math.min(idle + 1, IDLE_ROUNDS) : 0;
        Environment.parkNanos(this, interval * (1 + idle));
      }
    }
  }

  private boolean horizonRound() {
    try {
      return refreshHorizon();
    } catch (RuntimeException e) {
      failed("computing the purge horizon failed", e);
      return false;
    }
  }

  /**
   * Nothing here waits for the horizon to rise: it is left alone until a transaction has ended. The
   * clock rises all the time, with those of other nodes, and so would the horizon, for nothing.
   * What other nodes wait for, this node's bound, is computed when they are told of it.
   */
  private void doze() {
    dozing = true;
    // A transaction that ended before it could see the flag is seen now.
    if (!stopped && horizonRound()) {
      Environment.parkNanos(this, DOZE_NANOS);
    }
    dozing = false;
  }

  /** A transaction has ended: purge waits for the horizon to pass it. */
  void ended() {
    if (dozing) {
      dozing = false;
      LockSupport.unpark(horizonThread);
    }
  }

  /**
   * Computes the horizon anew.
   *
   * @return true when every transaction of the segments held here is below it, and no leaf waits to
   *     be purged: it need not rise
   */
  synchronized boolean refreshHorizon() {
    long before = all.horizon().lsn();
    boolean rose = all.horizon().refresh() > before;
    heldBack = all.openSnapshots() > 0;
    if (rose || !heldBack) {
      lastRise = nanoClock.getAsLong();
    }
    long horizon = all.horizon().lsn();
    AtomicBoolean done = new AtomicBoolean(all.purgeQueueLength() == 0);
    all.slots()
        .forEach(
            segment -> {
              if (!all.horizon().advance(segment)) {
                done.setPlain(false);
              }
            });
    all.horizon().marked(horizon);
    return done.getPlain();
  }

  private void keepPurging() {
    EngineContext ctx = new EngineContext(all.log());
    long interval = all.settings().horizonIntervalNanos();
    int idle = 0;
    while (!stopped) {
      long pause;
      round.lock();
      try {
        boolean orphansLeft = !all.rollBackOrphans(ctx, ORPHAN_BUDGET) && !all.orphansHaveFailed();
        if (all.log().refusal() == null) {
          boolean more = purge(ctx) | shrinkOne(ctx) | orphansLeft;
          idle = more ? 0 : Math.min(idle + 1, PURGE_IDLE_ROUNDS);
          pause = more ? interval / 10 : interval * (idle < PURGE_IDLE_ROUNDS ? 10 : 50);
        } else {
          pause = FAILURE_PAUSE_NANOS;
        }
        failure = null;
      } catch (RuntimeException e) {
        failed("purge failed and continues", e);
        pause = FAILURE_PAUSE_NANOS;
        failure = e.toString();
      } finally {
        round.unlock();
      }
      Environment.parkNanos(this, pause);
    }
  }

  /** A transaction is to be rolled back here: it holds its rows until then. */
  void orphaned() {
    LockSupport.unpark(purgeThread); // null before the start and in recovery
  }

  private static void failed(String what, RuntimeException e) {
    if (Outage.is(e)) {
      LOG.warn("{}: {}", what, e.toString());
    } else {
      LOG.error(what, e);
    }
  }

  /** The action runs between two rounds of purge and rollback. */
  void whilePaused(Runnable action) {
    round.lock();
    try {
      action.run();
    } finally {
      round.unlock();
    }
  }

  /** Purges up to a batch of leaves; true when there may be more to do. */
  boolean purge(EngineContext ctx) {
    boolean searches = all.purgeSearch().step(ctx, leafPurge);
    Set<Long> pages = new HashSet<>();
    long horizon = all.horizon().lsn();
    PurgeQueue.Batch batch = all.purgeQueue().poll(horizon);
    while (batch != null) {
      for (long page : batch.pages()) {
        pages.add(page);
      }
      batch = pages.size() < PURGE_BATCH ? all.purgeQueue().poll(horizon) : null;
    }
    for (long page : pages) {
      leafPurge.purge(ctx, page);
      all.metrics().purged();
    }
    leafPurge.giveBack(ctx);
    return searches || pages.size() >= PURGE_BATCH;
  }

  /** Checks one free segment and gives back surplus undo pages; true when it had any. */
  private boolean shrinkOne(EngineContext ctx) {
    UndoSegment segment = all.segments().tryAcquire();
    if (segment == null) {
      return false;
    }
    boolean any = false;
    try {
      for (int i = 0; i < PURGE_BATCH && segment.shrink(ctx, all.settings().keepUndoPages()); i++) {
        all.metrics().undoPageFreed();
        any = true;
      }
    } finally {
      all.segments().release(segment);
    }
    return any;
  }
}
