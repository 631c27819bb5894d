package io.gauss.compute.buffer;

import io.gauss.common.id.PageId;

/**
 * Pages of a pool that move ahead of their use. While less than a sixteenth of the pool's frames is
 * free, no further page is fetched: pages that transactions use now are worth more than pages that
 * they may use. Thread-safe.
 */
final class PoolMoves implements MovablePages {
  private static final int SPARED_SHARE = 16;

  private final BufferPool pool;
  private final Frames frames;
  private final FrameSupply supply;
  private final PageReadAhead ahead;
  private final PageSource source;

  PoolMoves(
      BufferPool pool, Frames frames, FrameSupply supply, PageReadAhead ahead, PageSource source) {
    this.pool = pool;
    this.frames = frames;
    this.supply = supply;
    this.ahead = ahead;
    this.source = source;
  }

  @Override
  public void forEachOwned(Visitor visitor) {
    for (int frame = 0; frame < frames.count(); frame++) {
      long pageId = frames.pageId(frame);
      if (pageId != PageId.NONE && isOwned(frame)) {
        // Without a latch: a mistake is a page offered for nothing.
        PageKind kind = PageKind.of(pageId, pool.address(frame));
        if (kind == PageKind.LEAF || kind == PageKind.OVERFLOW) {
          visitor.owned(pageId, pool.pageLsn(frame));
        }
      }
    }
  }

  private boolean isOwned(int frame) {
    int right = frames.right(frame);
    return right == PageRight.OWNED || right == PageRight.LENT;
  }

  @Override
  public int room() {
    return Math.max(0, supply.free() - frames.count() / SPARED_SHARE);
  }

  @Override
  public boolean isHere(long pageId) {
    return frames.find(pageId) >= 0;
  }

  @Override
  public boolean isOwned(long pageId) {
    int frame = frames.find(pageId);
    return frame >= 0 && isOwned(frame);
  }

  @Override
  public int owner(long pageId, int self) {
    int frame = frames.find(pageId);
    if (frame < 0) {
      return 0;
    }
    if (isOwned(frame)) {
      return self;
    }
    return frames.right(frame) == PageRight.SHARED ? FrameRights.giver(frames.origin(frame)) : 0;
  }

  @Override
  public boolean ask(long pageId) {
    int frame = frames.find(pageId);
    if (frame >= 0) {
      // If a copy goes meanwhile, with its frame, the right that comes is useless and is given
      // back. So the copy needs no pin.
      if (frames.right(frame) == PageRight.SHARED) {
        source.want(pageId, frame, PageIntent.WRITE);
      }
      return true;
    }
    return room() > 0 && ahead.ask(pageId, PageIntent.WRITE);
  }
}
