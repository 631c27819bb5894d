package io.gauss.compute.wait;

import io.gauss.common.invariant.Invariant;
import io.gauss.common.runtime.Environment;

/**
 * When a session may wait, what it waits for, and how long it has waited. Law 4 (never wait under a
 * latch) is kept here: every wait for I/O, ownership, a lock or the log calls {@link #beforeWait}
 * first.
 *
 * <p>Used by the thread that runs the session, except {@link #current}, which any thread may call.
 */
public final class Waits {
  /** How long a session keeps its carrier thread to itself. */
  private static final long YIELD_NANOS = 5_000_000;

  private static final int CAUSES = WaitCause.values().length;

  private final Interrupts interrupts;
  private final long[] totalNanos = new long[CAUSES]; // by cause
  private boolean mayBlock = true;
  private int latchesHeld;
  private long lastNanos;
  private long lastYield;
  private long worked; // nanoseconds since the session left its carrier thread

  // Both are read by other sessions' threads, for views: current().
  private volatile Object blocker; // null = it does not wait
  private volatile long since;

  public Waits(Interrupts interrupts) {
    this.interrupts = interrupts;
  }

  /** Cancelling, timeouts, shutdown: what ends a wait early. */
  Interrupts interrupts() {
    return interrupts;
  }

  /** A latch was taken: from now on waiting is forbidden (law 4, never wait under a latch). */
  public void latched() {
    latchesHeld++;
  }

  public void unlatched() {
    latchesHeld--;
    Invariant.check(latchesHeld >= 0, "latch released twice");
  }

  public int latchesHeld() {
    return latchesHeld;
  }

  /**
   * False while the statement runs on an event loop: an operation that would wait throws {@link
   * WouldBlockException}.
   */
  public boolean mayBlock() {
    return mayBlock;
  }

  public void mayBlock(boolean allowed) {
    mayBlock = allowed;
    if (allowed) {
      startWork();
    }
  }

  /** A statement begins or a wait is over: the time before does not count as work. */
  private void startWork() {
    worked = 0;
    lastYield = Environment.nanoTime();
  }

  /**
   * Checks law 4 and refuses to wait on an event loop. Call before every wait for I/O, ownership,
   * lock or log.
   *
   * @throws WouldBlockException on an event loop
   * @throws io.gauss.common.error.GaussException what the session was interrupted with
   */
  public void beforeWait() {
    Invariant.check(latchesHeld == 0, "law 4: about to wait with {} latches held", latchesHeld);
    if (!mayBlock) {
      throw WouldBlockException.INSTANCE;
    }
    interrupts.check();
  }

  /**
   * The thread is about to park, and an interrupt is to wake it.
   *
   * @param newBlocker the object on which it parks
   * @param sinceNanos by {@link System#nanoTime}
   */
  void begin(Object newBlocker, long sinceNanos) {
    since = sinceNanos;
    blocker = newBlocker;
    interrupts.wakes(Thread.currentThread());
  }

  /** The thread is no longer parked. */
  void end() {
    interrupts.wakes(null);
    blocker = null;
  }

  /** The present wait; null = none that is known. Any thread. */
  public CurrentWait current() {
    Object now = blocker;
    return now == null ? null : CurrentWait.of(now, Environment.nanoTime() - since);
  }

  /** Counts a wait that has ended. */
  public void waited(WaitCause cause, long nanos) {
    totalNanos[cause.ordinal()] += nanos;
    lastNanos = nanos;
    startWork();
  }

  /** How long this session has waited so far. Slow statements take differences. */
  public long waitedNanos(WaitCause cause) {
    return totalNanos[cause.ordinal()];
  }

  /** How long the last wait took. */
  long lastNanos() {
    return lastNanos;
  }

  /**
   * Checks for interrupts, and lets other sessions run from time to time: virtual threads are not
   * preempted, so a statement that never waits would block them all. Long loops call it between
   * batches.
   */
  public void yieldCarrier() {
    interrupts.check();
    if (latchesHeld == 0 && Thread.currentThread().isVirtual()) {
      long now = Environment.nanoTime();
      worked += now - lastYield;
      lastYield = now;
      if (worked > YIELD_NANOS) {
        // Any excess is time without a call of this method, or time in which another thread had
        // this core.
        Environment.parkNanos(this, CarrierTime.pauseNanos(now, Math.min(worked, 2 * YIELD_NANOS)));
        startWork();
      }
    }
  }

  /**
   * Called repeatedly by a single function that turns out to take long, until it ends: such a
   * function does not belong on an event loop, and elsewhere this makes it interruptible.
   *
   * @throws WouldBlockException on an event loop
   */
  public void longWork() {
    if (!mayBlock) {
      throw WouldBlockException.INSTANCE;
    }
    yieldCarrier();
  }
}
