package io.gauss.compute.buffer;

import io.gauss.compute.log.LogBuffer;
import io.gauss.storage.api.PageReader;

/**
 * The pages of a single node: it owns every page, reads it from the page store, and simply drops
 * it, since the page store makes it again from redo.
 */
final class StoredPages implements PageSource {
  private final BufferPool pool;
  private final PageReader store;
  private final LogBuffer log;
  private final ReadFloors floors = new ReadFloors();

  StoredPages(BufferPool pool, PageReader store, LogBuffer log) {
    this.pool = pool;
    this.store = store;
    this.log = log;
  }

  @Override
  public void want(long pageId, int frame, PageIntent intent) {
    try {
      store
          .readPage(pageId, log.streamId(), floors.floor(pageId), pool.address(frame))
          .whenComplete(
              (lsn, failure) -> {
                if (failure == null) {
                  pool.arrived(pageId, frame, lsn, PageRight.OWNED);
                } else {
                  pool.failed(pageId, frame, failure);
                }
              });
    } catch (RuntimeException e) {
      pool.failed(pageId, frame, e);
    }
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public boolean release(long pageId, int frame, boolean changed) {
    if (changed) {
      floors.raise(pageId, log.durableOffset());
    }
    return true;
  }
}
