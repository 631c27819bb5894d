package io.gauss.compute.buffer;

import io.gauss.common.id.PageId;
import io.gauss.common.page.UndoSpaces;
import io.gauss.compute.mtr.EngineContext;
import java.util.concurrent.atomic.LongAdder;

/**
 * Keeps pages from other nodes while a thread gets further ones, see {@link BufferPool#keep}.
 *
 * <p>What makes it end: pages are kept in ascending order of their ids on all nodes, and while one
 * is kept nothing is waited for but the right to a higher one, a frame and the log, none of which
 * waits for a kept page. So whoever keeps the highest page that anybody waits for gets on. Undo
 * pages have no place in that order, since only one node writes one: nobody who keeps a page waits
 * for them.
 *
 * <p>Thread-safe.
 */
final class KeptPages {
  private final BufferPool pool;
  private final Frames frames;
  private final PageSource source;
  private final LongAdder aways = new LongAdder();
  private final LongAdder keeps = new LongAdder();

  KeptPages(BufferPool pool, Frames frames, PageSource source) {
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

  long keeps() {
    return keeps.sum();
  }

  void keep(EngineContext ctx, long pageId) {
    if (!source.isShared()) {
      pool.pin(ctx, pageId, PageWish.WRITE);
      return;
    }
    int frame = pool.loadPinned(ctx, pageId, PageWish.WRITE);
    frames.addKeeps(frame, 1);
    boolean isKept = false;
    try {
      boolean isOwnTurn = false;
      while (!isOwnTurn || !pool.allows(frame, true)) {
        isOwnTurn = awaitTurn(ctx, pageId, frame);
      }
      isKept = true;
    } finally {
      if (!isKept) {
        frames.addKeeps(frame, -1);
        frames.addPins(frame, -1);
      }
    }
    keeps.increment();
    if (isOrdered(pageId)) {
      ctx.keeping(pageId);
    }
  }

  /** False when what came was what another thread had asked for. */
  private boolean awaitTurn(EngineContext ctx, long pageId, int frame) {
    ctx.beforePage(pageId);
    PageLoad load = pool.startLoad(pageId, frame);
    boolean starts = load != null;
    if (starts) {
      source.want(pageId, frame, PageWish.KEEP);
    } else {
      load = pool.loadOf(pageId, frame);
    }
    if (load != null) {
      pool.await(ctx, load);
    }
    return starts;
  }

  void unkeep(EngineContext ctx, long pageId) {
    if (source.isShared()) {
      synchronized (frames.stripe(Frames.hash(pageId))) {
        frames.addKeeps(frames.findLocked(pageId), -1);
      }
      if (isOrdered(pageId)) {
        ctx.keptNoMore();
      }
    }
    pool.unpin(pageId);
  }

  private static boolean isOrdered(long pageId) {
    return !UndoSpaces.contains(PageId.space(pageId));
  }
}
