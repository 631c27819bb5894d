package io.gauss.compute.buffer;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.wait.CurrentWait;
import io.gauss.compute.wait.Parking;
import io.gauss.memory.holder.PageFrames.Source;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * One page being read into a frame: threads that want the page meanwhile wait here. Thread-safe.
 */
final class PageLoad implements CurrentWait.ForPage {
  private final long pageId;
  private final ConcurrentLinkedQueue<Thread> waiters = new ConcurrentLinkedQueue<>();
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
