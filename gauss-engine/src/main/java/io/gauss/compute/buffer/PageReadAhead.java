package io.gauss.compute.buffer;

/** Requests pages before they are needed. Never waits; thread-safe. */
final class PageReadAhead {
  private final BufferPool pool;
  private final Frames frames;
  private final FrameSupply supply;
  private final PageSource source;

  PageReadAhead(BufferPool pool, Frames frames, FrameSupply supply, PageSource source) {
    this.pool = pool;
    this.frames = frames;
    this.supply = supply;
    this.source = source;
  }

  /** False when no frame is free now. */
  boolean ask(long pageId, PageIntent intent) {
    if (frames.find(pageId) >= 0) {
      return true;
    }
    int spare = supply.tryTake();
    if (spare < 0) {
      return false;
    }
    PageLoad load = new PageLoad(pageId);
    boolean installed;
    synchronized (pool.stripe(pageId)) {
      installed = frames.findLocked(pageId) < 0;
      if (installed) {
        pool.install(spare, pageId, PageRight.LOADING, load);
      }
    }
    if (installed) {
      source.want(pageId, spare, intent);
    } else {
      supply.giveBack(spare);
    }
    return true;
  }
}
