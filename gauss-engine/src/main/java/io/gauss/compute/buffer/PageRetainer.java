package io.gauss.compute.buffer;

import io.gauss.common.id.PageId;
import io.gauss.common.page.UndoSpaces;
import io.gauss.compute.mtr.EngineContext;
import java.util.concurrent.atomic.LongAdder;

/**
 * Retains pages while a thread gets further ones, see {@link BufferPool#retain}.
 *
 * <p>Why the waiting ends: pages are retained in ascending order of their ids on all nodes, and
 * while one is retained a thread waits only for the right to a higher one, for a frame or for the
 * log, none of which waits for a retained page. So the thread that retains the highest page waited
 * for can continue. Undo pages have no place in that order, since only one node writes each of
 * them: no thread that retains a page waits for them.
 *
 * <p>Thread-safe.
 */
final class PageRetainer {
  private final BufferPool pool;
  private final Frames frames;
  private final PageSource source;
  private final LongAdder aways = new LongAdder();
  private final LongAdder retains = new LongAdder();

  PageRetainer(BufferPool pool, Frames frames, PageSource source) {
    this.pool = pool;
    this.frames = frames;
    this.source = source;
  }

  void away() {
    aways.increment();
  }

  long aways() {
    return aways.sum();
  }

  long retains() {
    return retains.sum();
  }

  void retain(EngineContext ctx, long pageId) {
    if (!source.isShared()) {
      pool.pin(ctx, pageId, PageIntent.WRITE);
      return;
    }
    int frame = pool.loadPinned(ctx, pageId, PageIntent.WRITE);
    frames.addRetains(frame, 1);
    boolean isKept = false;
    try {
      boolean isOwnTurn = false;
      while (!isOwnTurn || !pool.allows(frame, true)) {
        isOwnTurn = awaitTurn(ctx, pageId, frame);
      }
      isKept = true;
    } finally {
      if (!isKept) {
        frames.addRetains(frame, -1);
        frames.addPins(frame, -1);
      }
    }
    retains.increment();
    if (isOrdered(pageId)) {
      ctx.pageRetained(pageId);
    }
  }

  /** False when the page that came had been requested by another thread. */
  private boolean awaitTurn(EngineContext ctx, long pageId, int frame) {
    ctx.beforePage(pageId);
    PageLoad load = pool.startLoad(pageId, frame);
    boolean starts = load != null;
    if (starts) {
      source.want(pageId, frame, PageIntent.RETAIN);
    } else {
      load = pool.loadOf(pageId, frame);
    }
    if (load != null) {
      pool.await(ctx, load);
    }
    return starts;
  }

  void releaseRetained(EngineContext ctx, long pageId) {
    if (source.isShared()) {
      synchronized (frames.stripe(Frames.hash(pageId))) {
        frames.addRetains(frames.findLocked(pageId), -1);
      }
      if (isOrdered(pageId)) {
        ctx.pageReleased();
      }
    }
    pool.unpin(pageId);
  }

  private static boolean isOrdered(long pageId) {
    return !UndoSpaces.contains(PageId.space(pageId));
  }
}
