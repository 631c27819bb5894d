package io.gauss.compute.engine;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.log.Mtr;
import java.util.concurrent.locks.LockSupport;

/**
 * What one session (or one background task) brings into the engine: its mini-transaction, whether
 * it may wait now, and what interrupts it. One thread at a time uses it; it moves between threads
 * with the session.
 *
 * <p>Law 4 is checked here: every wait asks {@link #beforeWait()}, which fails when a latch is
 * held.
 */
public final class EngineContext {
  /** For how long a session keeps its carrier thread to itself. */
  private static final long BREATH_NANOS = 5_000_000;

  /** Page accesses between two reports to the pool's counter; a power of two. */
  private static final int HIT_BATCH = 1024;

  private final Mtr mtr;
  private boolean mayBlock = true;
  private int latchesHeld;
  private int pagesKept;
  private long lastKept; // while there are any
  private volatile SqlState interrupt;
  private volatile String interruptMessage;
  private volatile Thread waiter;
  private volatile Object waitsFor;
  private long waitsSince; // published by waitsFor
  private final Object[] attachments = new Object[4];
  private int interruptsHeld;
  private long lastBreath;
  private long worked; // nanoseconds since the session left its carrier thread
  private long pageHits;
  private long hitMask = HIT_BATCH - 1;
  private PageAccesses watcher; // null when nobody watches
  private long pageMisses;
  private long remotePages;
  private long remoteNanos;
  private long lastWaitNanos;
  private long pageOfNode; // the last page that came from a compute node to be written
  private final long[] waitedNanos = new long[WaitCause.values().length];

  public EngineContext(LogBuffer log) {
    this.mtr = new Mtr(this, log);
  }

  /** The context's only MTR; one at a time is open. */
  public Mtr mtr() {
    return mtr;
  }

  /**
   * False while the statement runs on an event loop: whatever would wait throws {@link
   * WouldBlockException}.
   */
  public boolean mayBlock() {
    return mayBlock;
  }

  public void mayBlock(boolean allowed) {
    this.mayBlock = allowed;
    if (allowed) {
      begun();
    }
  }

  /** A statement begins or a wait is over: what was before it is no work. */
  private void begun() {
    worked = 0;
    lastBreath = System.nanoTime();
  }

  public void latched() {
    latchesHeld++;
  }

  public void unlatched() {
    latchesHeld--;
    assert latchesHeld >= 0 : "latch released twice";
  }

  public int latchesHeld() {
    return latchesHeld;
  }

  /**
   * Asserts law 4 and refuses to wait on an event loop. Call before every wait for I/O, ownership,
   * lock or log.
   */
  public void beforeWait() {
    if (latchesHeld != 0) {
      throw new AssertionError("law 4: about to wait with " + latchesHeld + " latches held");
    }
    if (!mayBlock) {
      throw WouldBlockException.INSTANCE;
    }
    checkInterrupt();
  }

  /**
   * As {@link #beforeWait}, for a page and the right to it; also asserts the order in which pages
   * are kept from other nodes, without which two nodes could wait for each other.
   */
  public void beforePage(long pageId) {
    beforeWait();
    if (pagesKept != 0 && pageId <= lastKept) {
      throw new AssertionError(
          "about to wait for page "
              + PageId.toString(pageId)
              + " with page "
              + PageId.toString(lastKept)
              + " kept");
    }
  }

  /** A page is kept from other nodes, see {@code BufferPool.keep}. */
  public void keeping(long pageId) {
    pagesKept++;
    lastKept = pageId;
  }

  /** One page less is kept. All are let go of together. */
  public void keptNoMore() {
    pagesKept--;
    assert pagesKept >= 0 : "page let go of twice";
  }

  /** Number of pages kept from other nodes, for which locks are not waited for. */
  public int pagesKept() {
    return pagesKept;
  }

  /** Asks the session to stop at its next check: cancel, time-outs, shutdown. Thread-safe. */
  public void interrupt(SqlState state, String message) {
    interruptMessage = message;
    interrupt = state;
    Thread blocked = waiter;
    if (blocked != null) {
      LockSupport.unpark(blocked);
    }
  }

  public void clearInterrupt() {
    interrupt = null;
  }

  /** Waiters that park register themselves so that an interrupt wakes them; null when done. */
  public void waiter(Thread thread) {
    this.waiter = thread;
  }

  /**
   * A wait begins, or is over.
   *
   * @param blocker what the thread parks on; null = it is over
   * @param sinceNanos by {@link System#nanoTime}
   */
  void waitsFor(Object blocker, long sinceNanos) {
    waitsSince = sinceNanos;
    waitsFor = blocker;
  }

  /** What is waited for now; null = nothing that is known. Thread-safe. */
  public CurrentWait currentWait() {
    Object blocker = waitsFor;
    return blocker == null ? null : CurrentWait.of(blocker, System.nanoTime() - waitsSince);
  }

  /**
   * Until {@link #releaseInterrupts} an interrupt stays pending: rolling back, which has to come to
   * its end. Nests.
   */
  public void holdInterrupts() {
    interruptsHeld++;
  }

  public void releaseInterrupts() {
    interruptsHeld--;
  }

  /** Throws what {@link #interrupt} asked for. Long loops call it every few thousand rows. */
  public void checkInterrupt() {
    SqlState state = interrupt;
    if (state != null && interruptsHeld == 0) {
      interrupt = null;
      throw new GaussException(state, interruptMessage);
    }
  }

  /**
   * As {@link #checkInterrupt}, and lets other sessions run now and then: virtual threads are not
   * preempted, so a statement that never waits would keep them all waiting. Long loops call it
   * between batches.
   */
  public void breathe() {
    checkInterrupt();
    if (latchesHeld == 0 && Thread.currentThread().isVirtual()) {
      long now = System.nanoTime();
      worked += now - lastBreath;
      lastBreath = now;
      if (worked > BREATH_NANOS) {
        // More than that was not asked about in between, or another thread's turn on this core.
        LockSupport.parkNanos(
            this, CarrierTime.pauseNanos(now, Math.min(worked, 2 * BREATH_NANOS)));
        begun();
      }
    }
  }

  /**
   * What a single function calls that turns out to take long, again and again while it goes on: it
   * does not belong on an event loop, and elsewhere it can be interrupted.
   *
   * @throws WouldBlockException on an event loop
   */
  public void longWork() {
    if (!mayBlock) {
      throw WouldBlockException.INSTANCE;
    }
    breathe();
  }

  /**
   * Working state that a layer above keeps with the context, made at its first use; null before.
   */
  public Object attachment(int layer) {
    return attachments[layer];
  }

  public void attach(int layer, Object state) {
    attachments[layer] = state;
  }

  /**
   * Counts an access that found its page in the buffer pool.
   *
   * @return whether {@link #reportPageHit} is to be called
   */
  public boolean countPageHit() {
    // The mask of a context that is watched is 0, so that being watched costs others no branch.
    return (++pageHits & hitMask) == 0;
  }

  /**
   * Tells whoever watches of the access that was counted, with the page's latch held.
   *
   * @return accesses to add to the pool's counter
   */
  public int reportPageHit(long pageId, long address, boolean write) {
    if (watcher != null) {
      watcher.accessed(pageId, address, write);
    }
    return (pageHits & (HIT_BATCH - 1)) == 0 ? HIT_BATCH : 0;
  }

  /** From now on this one is told of all page accesses; null = nobody is. */
  public void watchPages(PageAccesses accesses) {
    watcher = accesses;
    hitMask = accesses == null ? HIT_BATCH - 1 : 0;
  }

  /** Counts a page that had to be loaded. */
  public long countPageMiss() {
    return ++pageMisses;
  }

  /**
   * Counts one of the {@linkplain #countPageMiss missed} pages that came from another node, or to
   * which the right did, after the wait for it.
   *
   * @param fromCompute the page, if it came from a compute node to be written; otherwise {@link
   *     PageId#NONE}
   */
  public void countRemotePage(long fromCompute) {
    remotePages++;
    remoteNanos += lastWaitNanos;
    pageOfNode = fromCompute;
  }

  /** Pages of {@link #pageMisses} that came from other nodes so far. */
  public long remotePages() {
    return remotePages;
  }

  /** For how long these were waited for. */
  public long remoteNanos() {
    return remoteNanos;
  }

  /** Whether the page has just come from another compute node to be written; true once. */
  public boolean hasJustCome(long pageId) {
    if (pageOfNode != pageId) {
      return false;
    }
    pageOfNode = PageId.NONE;
    return true;
  }

  /**
   * Page accesses of this context so far that found the page resident. EXPLAIN ANALYZE takes
   * differences.
   */
  public long pageHits() {
    return pageHits;
  }

  /** Pages that this context had to load so far. */
  public long pageMisses() {
    return pageMisses;
  }

  /** Counts a wait that has ended. */
  public void waited(WaitCause cause, long nanos) {
    waitedNanos[cause.ordinal()] += nanos;
    lastWaitNanos = nanos;
    begun();
  }

  /** For how long this context has waited so far. Slow statements take differences. */
  public long waitedNanos(WaitCause cause) {
    return waitedNanos[cause.ordinal()];
  }

  /** Gives back what the session does not need while it is idle: the buffer of its MTR. */
  public void idle() {
    mtr.releaseBuffer();
  }
}
