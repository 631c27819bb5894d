package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.id.PageId;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Threads;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import org.agrona.collections.LongArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a page store's memory bounded: a platform thread folds pages when records take half of
 * their limit, and writes images when three quarters of them are dirty. Threads that deliver
 * records wait when the records take all of the limit.
 *
 * <p>Parked records cannot be folded until another stream delivers the missing ones, so that stream
 * must continue however full the memory is. In that case every stream with parked records is
 * blocked. That cannot deadlock: the missing record with the lowest LSN is in a stream without
 * parked records, since a parked record of that stream would wait for one with a still lower LSN
 * (law 5, LSNs order). Records of a stream without parked ones can be folded, so memory stays
 * bounded by the limit, a quarter of it, and a batch of each stream.
 *
 * <p>When the disk is full it retries from time to time. Guarded by the index's lock.
 */
final class PageRoom {
  private static final Logger LOG = LoggerFactory.getLogger(PageRoom.class);
  private static final long RETRY_MILLIS = 200;

  /** Does the work on one page. */
  interface Visitor {
    void fold(long pageId);

    void write(long pageId);

    /** Throws 53100 when there is no room on the disk. */
    void checkDisk();
  }

  private final PageIndex index;
  private final long limit;
  private final Visitor visitor;
  private final Condition room;
  private final Condition work;
  private final Thread thread;
  private final LongAdder waitNanos = new LongAdder();
  private volatile String failure;

  /** Memory of records that could not be folded in the last attempt; at most the present amount. */
  private long unfoldable;

  /** Whether a page was folded since the current attempt began. */
  private boolean hasFolded;

  private boolean closed;

  PageRoom(PageIndex index, long pendingLimitBytes, Visitor visitor) {
    this.index = index;
    this.limit = pendingLimitBytes;
    this.visitor = visitor;
    this.room = index.lock.newCondition();
    this.work = index.lock.newCondition();
    this.thread = Environment.thread("gauss-page-fold", this::run);
  }

  void start() {
    thread.start();
  }

  /** Waits until more records of the stream may be taken. */
  void await(StreamProgress stream) {
    index.lock.lock();
    try {
      if (isFull(stream)) {
        long start = Environment.nanoTime();
        while (isFull(stream)) {
          work.signal();
          room.awaitUninterruptibly();
        }
        waitNanos.add(Environment.nanoTime() - start);
      }
      if (closed) {
        throw new IllegalStateException("the page store is closed");
      }
    } finally {
      index.lock.unlock();
    }
  }

  private boolean isFull(StreamProgress stream) {
    boolean hasParked = stream.applied < stream.taken;
    return !closed
        && index.pendingMemory() > (hasParked ? limit : Math.max(limit, unfoldable + limit / 4));
  }

  /** Called when records were taken; the index's lock is held. */
  void taken() {
    if (recordsMustShrink()) {
      work.signal();
    }
  }

  /**
   * Called when a page was folded, or could not be because no image was free; the index's lock is
   * held.
   */
  void visited(boolean kept) {
    if (kept) {
      hasFolded = true;
      unfoldable = Math.min(unfoldable, index.pendingMemory());
      room.signalAll();
    }
    if (!kept || imagesMustShrink()) {
      work.signal();
    }
  }

  /** Records were discarded. */
  void emptied() {
    index.lock.lock();
    try {
      visited(true);
    } finally {
      index.lock.unlock();
    }
  }

  private boolean recordsMustShrink() {
    return index.pendingMemory() > Math.max(limit / 2, unfoldable + limit / 8);
  }

  private boolean imagesMustShrink() {
    return index.dirtyImages() > index.imageLimit() * 3 / 4;
  }

  private void run() {
    while (true) {
      boolean shrinkImages;
      index.lock.lock();
      try {
        while (!closed && !recordsMustShrink() && !imagesMustShrink()) {
          worked(); // or a checkpoint has made room
          work.awaitUninterruptibly();
        }
        if (closed) {
          return;
        }
        shrinkImages = imagesMustShrink();
      } finally {
        index.lock.unlock();
      }
      try {
        visitor.checkDisk();
        if (shrinkImages) {
          writeDirtyImages();
        } else {
          foldRecords();
        }
        worked();
      } catch (RuntimeException e) {
        failed(e);
        pause();
      }
    }
  }

  private void worked() {
    if (failure != null) {
      LOG.info("room can be made in the page store again");
      failure = null;
    }
  }

  /** The attempt is repeated several times a second, but the failure is logged only once. */
  private void failed(RuntimeException e) {
    if (failure == null) {
      LOG.error("no room could be made in the page store; it is tried again", e);
    }
    failure = e.getMessage() == null ? e.toString() : e.getMessage();
  }

  /** Why no room can be made now; null when it can. */
  Problem problem() {
    String why = failure;
    return why == null ? null : new Problem("the page store cannot make room", why);
  }

  @SuppressWarnings("WaitNotInLoop") // an early wakeup only causes an extra attempt
  private void pause() {
    index.lock.lock();
    try {
      if (!closed) {
        Future<?> again =
            Environment.after(
                RETRY_MILLIS, TimeUnit.MILLISECONDS, "gauss-page-room-again", this::wake);
        try {
          work.await();
        } finally {
          again.cancel(false);
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("the folding thread was interrupted", e);
    } finally {
      index.lock.unlock();
    }
  }

  private void wake() {
    index.lock.lock();
    try {
      work.signalAll();
    } finally {
      index.lock.unlock();
    }
  }

  private void writeDirtyImages() {
    while (true) {
      long pageId;
      index.lock.lock();
      try {
        boolean enough = closed || index.dirtyImages() <= index.imageLimit() / 2;
        pageId = enough ? PageId.NONE : index.nextDirty();
      } finally {
        index.lock.unlock();
      }
      if (pageId == PageId.NONE) {
        return;
      }
      visitor.write(pageId);
    }
  }

  /** Folds the pages with the most records until a quarter of the limit is left. */
  private void foldRecords() {
    LongArrayList pages;
    index.lock.lock();
    try {
      hasFolded = false;
      pages = index.foldablePages();
    } finally {
      index.lock.unlock();
    }
    GaussException failure = null;
    for (int i = 0; i < pages.size(); i++) {
      try {
        visitor.fold(pages.getLong(i));
      } catch (GaussException e) {
        if (e.state() == SqlState.DISK_FULL) {
          throw e;
        }
        failure = e; // a damaged page must not keep others from being folded
      }
      index.lock.lock();
      try {
        if (closed || index.pendingMemory() <= limit / 4) {
          return;
        }
      } finally {
        index.lock.unlock();
      }
    }
    if (failure != null) {
      throw failure;
    }
    index.lock.lock();
    try {
      // The amount may not have decreased because of records that arrived meanwhile.
      if (!hasFolded) {
        unfoldable = index.pendingMemory();
        room.signalAll();
      }
    } finally {
      index.lock.unlock();
    }
  }

  long waitNanos() {
    return waitNanos.sum();
  }

  boolean isClosed() {
    index.lock.lock();
    try {
      return closed;
    } finally {
      index.lock.unlock();
    }
  }

  /**
   * Wakes and refuses the waiting threads and ends the folding thread; false when closed before.
   */
  boolean close() {
    index.lock.lock();
    try {
      if (closed) {
        return false;
      }
      closed = true;
      work.signalAll();
      room.signalAll();
    } finally {
      index.lock.unlock();
    }
    Threads.join(thread);
    return true;
  }
}
