package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.Outage;
import io.gauss.common.id.Xid;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.undo.UndoSegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions without a session, which are rolled back in the background: those that a crash or a
 * dead node left active, and those that their sessions could not roll back. They hold their rows
 * until that is done. Thread-safe; several threads may roll back, each another transaction.
 */
final class Orphans {
  private static final Logger LOG = LoggerFactory.getLogger(Orphans.class);

  private final Transactions all;
  private final ConcurrentLinkedQueue<Orphan> queue = new ConcurrentLinkedQueue<>();
  private final Set<Long> xids = ConcurrentHashMap.newKeySet();

  /** Those whose last attempt has failed, which was logged then. */
  private final Set<Long> failed = ConcurrentHashMap.newKeySet();

  Orphans(Transactions all) {
    this.all = all;
  }

  /**
   * A transaction whose rollback is under way.
   *
   * @param newestPage of its newest undo record, with {@code newestSlot}
   * @param page of the next record to undo, with {@code slot}; 0 = none is left
   */
  record Orphan(
      UndoSegment segment, long xid, int newestPage, int newestSlot, int page, int slot) {}

  void add(Orphan orphan) {
    xids.add(orphan.xid());
    queue.add(orphan);
    all.orphaned();
  }

  /** As {@link #add(Orphan)}, for one that its session could not roll back. */
  void add(Orphan orphan, RuntimeException cause) {
    LOG.warn("transaction {} is rolled back in the background", Xid.toString(orphan.xid()), cause);
    add(orphan);
  }

  /** Whether it is being rolled back in the background. */
  boolean has(long xid) {
    return xids.contains(xid);
  }

  boolean hasAnyOf(int slot) {
    return xids.stream().anyMatch(xid -> Xid.slot(xid) == slot);
  }

  /** Whether the last attempts of all that are left have failed: the next ones may wait. */
  boolean haveFailed() {
    return !queue.isEmpty() && queue.stream().allMatch(left -> failed.contains(left.xid()));
  }

  /** All of them, in order. */
  long[] xids() {
    return xids.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  /**
   * Rolls back, at most {@code budget} records of each transaction.
   *
   * @return false when some are left
   */
  boolean rollBack(EngineContext ctx, long budget) {
    for (int round = queue.size(); round > 0; round--) {
      Orphan orphan = queue.poll();
      if (orphan == null) {
        break;
      }
      rollBack(ctx, orphan, budget);
    }
    return queue.isEmpty();
  }

  /** Puts what is left of it into the queue, whatever happens. */
  private void rollBack(EngineContext ctx, Orphan orphan, long budget) {
    UndoSegment segment = orphan.segment();
    Rollback rollback = new Rollback(all.segments());
    rollback.start(
        ctx,
        segment,
        orphan.xid(),
        orphan.newestPage(),
        orphan.newestSlot(),
        orphan.page(),
        orphan.slot());
    boolean done = false;
    boolean isFailed = false;
    try {
      if (rollback.run(all.applier(), 0, 0, budget)) {
        all.logAborted(ctx, segment, orphan.xid(), new PageGuard());
        all.metrics().rollback();
        segment.end();
        segment.release();
        xids.remove(orphan.xid());
        done = true;
      }
    } catch (GaussException e) {
      isFailed = true;
      note(orphan.xid(), e);
    } finally {
      if (!isFailed) {
        failed.remove(orphan.xid());
      }
      if (!done) {
        queue.add(
            new Orphan(
                segment,
                orphan.xid(),
                orphan.newestPage(),
                orphan.newestSlot(),
                rollback.page(),
                rollback.slot()));
      }
    }
  }

  /** One line for all attempts, which follow each other quickly: the cause rarely changes. */
  private void note(long xid, GaussException cause) {
    if (!failed.add(xid)) {
      LOG.debug("rollback of transaction {} has failed again", Xid.toString(xid), cause);
    } else if (Outage.is(cause)) {
      LOG.warn(
          "rollback of transaction {} will be tried again: {}",
          Xid.toString(xid),
          cause.getMessage());
    } else {
      LOG.warn("rollback of transaction {} will be tried again", Xid.toString(xid), cause);
    }
  }
}
