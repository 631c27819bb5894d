package io.gauss.compute.buffer;

import io.gauss.common.invariant.Invariant;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.wait.WaitCounter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Shared and exclusive latches, one word per frame, for platform and virtual threads alike.
 *
 * <pre>
 * bits  0..15  shared holders
 * bit   16     exclusive holder
 * bit 17 a waiter is queued
 * bit   18     an exclusive waiter has lost twice: shared ones also queue up until it had its turn
 * bits 20..63  version, counted at every exclusive release (for reads without a latch)
 * </pre>
 *
 * <p>A taker tries, spins a bounded while and then parks in a queue striped by frame: the holder's
 * carrier may be descheduled, so spinning alone would burn its time. Waiting for a latch is legal
 * with other latches held, in latch order; holders never wait for anything but latches (law 4,
 * never wait under a latch), so every wait is short.
 *
 * <p>Invariants: at most one exclusive holder and then no shared one; a waiter parks only after it
 * has set bit 17 while the latch was taken, so that its holder's release sees it. A frame with any
 * of the low 19 bits set is not evicted, and a waiter checks the page id after setting bit 17: so a
 * thread with latches held never waits for another page than the one it asked for. Not kept: strict
 * first-come order; newcomers may overtake.
 */
final class Latches {
  static final long SHARED_MASK = 0xFFFF;
  static final long EXCLUSIVE = 1L << 16;
  static final long QUEUED = 1L << 17;
  static final long FAIR = 1L << 18;
  static final long VERSION_STEP = 1L << 20;
  static final long TAKEN = SHARED_MASK | EXCLUSIVE;
  private static final long NOT_IDLE = TAKEN | QUEUED | FAIR;

  private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 64 : 1;
  private static final int STRIPES = 256;

  private final Frames frames;
  private final Stripe[] stripes = new Stripe[STRIPES];
  private final WaitCounter waits = new WaitCounter();

  Latches(Frames frames) {
    this.frames = frames;
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  /** Times that a thread had to park. */
  WaitCounter waits() {
    return waits;
  }

  boolean tryShared(int frame) {
    long word = frames.latch(frame);
    while ((word & (EXCLUSIVE | FAIR)) == 0) {
      if (frames.casLatch(frame, word, word + 1)) {
        return true;
      }
      word = frames.latch(frame);
    }
    return false;
  }

  boolean tryExclusive(int frame) {
    long word = frames.latch(frame);
    while ((word & TAKEN) == 0) {
      if (frames.casLatch(frame, word, (word | EXCLUSIVE) & ~FAIR)) {
        return true;
      }
      word = frames.latch(frame);
    }
    return false;
  }

  /** For eviction: succeeds only when no thread holds or wants the latch. */
  boolean tryExclusiveIfIdle(int frame) {
    long word = frames.latch(frame);
    return (word & NOT_IDLE) == 0 && frames.casLatch(frame, word, word | EXCLUSIVE);
  }

  /** Tries a bounded while without parking. */
  boolean spin(int frame, boolean exclusive) {
    for (int i = 0; i < SPINS; i++) {
      if (exclusive ? tryExclusive(frame) : tryShared(frame)) {
        return true;
      }
      Thread.onSpinWait();
    }
    return false;
  }

  /**
   * Takes the latch, parking if need be.
   *
   * @return false when the frame now holds another page than {@code pageId}: not latched, look
   *     again
   */
  boolean acquire(int frame, long pageId, boolean exclusive) {
    int losses = 0;
    while (true) {
      if (spin(frame, exclusive)) {
        return true;
      }
      Waiter waiter = new Waiter(Thread.currentThread(), frame, exclusive);
      if (!enqueue(waiter, losses >= 2)) {
        continue;
      }
      if (frames.pageId(frame) != pageId) {
        cancel(waiter);
        return false;
      }
      long start = Environment.nanoTime();
      while (!waiter.woken) {
        LockSupport.park(this);
      }
      waits.waitedSince(start);
      losses++;
    }
  }

  /** Queues the waiter unless the latch is free now. */
  private boolean enqueue(Waiter waiter, boolean insist) {
    Stripe stripe = stripe(waiter.frame);
    synchronized (stripe) {
      while (true) {
        long word = frames.latch(waiter.frame);
        boolean free = waiter.exclusive ? (word & TAKEN) == 0 : (word & (EXCLUSIVE | FAIR)) == 0;
        if (free) {
          return false;
        }
        boolean fair = insist && waiter.exclusive;
        if (frames.casLatch(waiter.frame, word, word | QUEUED | (fair ? FAIR : 0))) {
          if (fair) {
            stripe.queue.addFirst(waiter);
          } else {
            stripe.queue.addLast(waiter);
          }
          return true;
        }
      }
    }
  }

  /**
   * Leaves the queue. Clears bit 18 before waking any waiter: shared ones may have queued up
   * because of it. If this waiter was chosen already, the next one is woken in its place.
   */
  private void cancel(Waiter waiter) {
    Stripe stripe = stripe(waiter.frame);
    boolean removed;
    synchronized (stripe) {
      clear(waiter.frame, FAIR);
      removed = stripe.queue.remove(waiter);
    }
    if (!removed) {
      wake(waiter.frame);
    }
  }

  void releaseShared(int frame) {
    while (true) {
      long word = frames.latch(frame);
      Invariant.check(
          (word & SHARED_MASK) != 0, "shared latch released by a thread that does not hold it");
      if (frames.casLatch(frame, word, word - 1)) {
        if ((word & QUEUED) != 0 && (word & SHARED_MASK) == 1) {
          wake(frame);
        }
        return;
      }
    }
  }

  void releaseExclusive(int frame) {
    while (true) {
      long word = frames.latch(frame);
      Invariant.check(
          (word & EXCLUSIVE) != 0, "exclusive latch released by a thread that does not hold it");
      if (frames.casLatch(frame, word, (word & ~EXCLUSIVE) + VERSION_STEP)) {
        if ((word & QUEUED) != 0) {
          wake(frame);
        }
        return;
      }
    }
  }

  /** Wakes the first in the queue, and when it is a shared one, the shared ones right behind it. */
  private void wake(int frame) {
    List<Waiter> chosen = new ArrayList<>(2);
    Stripe stripe = stripe(frame);
    synchronized (stripe) {
      boolean more = false;
      Iterator<Waiter> queue = stripe.queue.iterator();
      while (queue.hasNext()) {
        Waiter waiter = queue.next();
        if (waiter.frame != frame) {
          continue;
        }
        if (chosen.isEmpty() || (!waiter.exclusive && !chosen.getLast().exclusive)) {
          chosen.add(waiter);
          queue.remove();
        } else {
          more = true;
          break;
        }
      }
      if (!more) {
        clear(frame, QUEUED);
      }
    }
    for (Waiter waiter : chosen) {
      waiter.woken = true;
      LockSupport.unpark(waiter.thread);
    }
  }

  private void clear(int frame, long bit) {
    while (true) {
      long word = frames.latch(frame);
      if (frames.casLatch(frame, word, word & ~bit)) {
        return;
      }
    }
  }

  private Stripe stripe(int frame) {
    return stripes[frame & (STRIPES - 1)];
  }

  private static final class Stripe {
    final ArrayDeque<Waiter> queue = new ArrayDeque<>(4);
  }

  private static final class Waiter {
    final Thread thread;
    final int frame;
    final boolean exclusive;
    volatile boolean woken;

    Waiter(Thread thread, int frame, boolean exclusive) {
      this.thread = thread;
      this.frame = frame;
      this.exclusive = exclusive;
    }
  }
}
