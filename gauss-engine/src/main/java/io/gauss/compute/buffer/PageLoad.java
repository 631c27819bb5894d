package io.gauss.compute.buffer;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.id.PageId;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.wait.CurrentWait;
import io.gauss.compute.wait.Parking;
import io.gauss.memory.holder.PageFrames.Source;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One page being read into a frame: threads that want the page meanwhile wait here. Thread-safe.
 *
 * <p>Each of these threads {@linkplain #join joins} while the load is under way, and {@linkplain
 * #leave leaves} when it has used the page or has given up. Between the two it may not run for a
 * long time although the page is here: processors are busy, and so may be the carriers. As long as
 * that is so for all of them the page {@linkplain #isOwed is owed} to them, and other nodes get it
 * later; otherwise it would have come for nothing, again and again.
 */
final class PageLoad implements CurrentWait.ForPage {
  private final long pageId;
  private final ConcurrentLinkedQueue<Thread> waiters = new ConcurrentLinkedQueue<>();
  private final AtomicInteger users = new AtomicInteger();
  private volatile boolean used;
  private volatile boolean done;
  private Throwable error; // published by done
  private Source source; // published by done; null = from this node's page store

  PageLoad(long pageId) {
    this.pageId = pageId;
  }

  @Override
  public long pageId() {
    return pageId;
  }

  /** Before {@link #finish}: where the page, or the right to it, came from. */
  void cameFrom(Source where) {
    source = where;
  }

  /**
   * Tells the thread that had the page loaded where it came from. After {@link #await}.
   *
   * @param toWrite whether that is what it was loaded for
   */
  void tell(EngineContext ctx, boolean toWrite) {
    if (source != null && source != Source.STORAGE) {
      ctx.pages().countRemote(toWrite && source == Source.COMPUTE ? pageId : PageId.NONE);
    }
  }

  /**
   * A thread is going to wait for the page and to use it. While the load is under way: under the
   * lock of the page's stripe.
   */
  void join() {
    users.incrementAndGet();
  }

  /**
   * A thread that had joined goes on.
   *
   * @param hasUsed false when it has given up, or the page had gone before it came to it
   */
  void leave(boolean hasUsed) {
    if (hasUsed) {
      used = true; // and not undone by one who leaves at the same time
    }
    users.decrementAndGet();
  }

  /** Whether threads wait for the page, or have yet to use it, and none has used it. */
  boolean isOwed() {
    return !used && users.get() > 0;
  }

  void finish(Throwable failure) {
    error = failure;
    done = true;
    Thread waiter;
    while ((waiter = waiters.poll()) != null) {
      LockSupport.unpark(waiter);
    }
  }

  /** Waits for the page; the caller keeps the frame pinned meanwhile. */
  void await(EngineContext ctx) {
    if (!done) {
      waiters.add(Thread.currentThread());
      Parking.await(ctx, this, Parking.FOREVER, () -> done);
    }
    FaultPoints.hit("pages.came");
    if (error != null) {
      if (error instanceof GaussException expected) {
        throw new GaussException(expected.state(), expected.getMessage(), expected)
            .detail(expected.detail())
            .hint(expected.hint());
      }
      throw new GaussException(
          SqlState.IO_ERROR,
          "could not read page " + PageId.toString(pageId) + ": " + error.getMessage(),
          error);
    }
  }
}
