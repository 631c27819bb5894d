package io.gauss.compute.buffer;

import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.LoggedPage;

/**
 * A latched page: the only way to its bytes. Reused, never shared between threads; closing it
 * releases the latch, and a forgotten close is found by the context's latch count.
 */
public final class PageGuard implements LoggedPage, AutoCloseable {
  private BufferPool pool;
  private EngineContext ctx;
  private int frame;
  private long pageId;
  private long address;
  private boolean write;

  /** Address of the page's 8 KiB, 0 when the guard is empty. */
  @Override
  public long address() {
    return address;
  }

  @Override
  public long pageId() {
    return pageId;
  }

  @Override
  public boolean isHeld() {
    return address != 0;
  }

  @Override
  public boolean isWrite() {
    return write;
  }

  /** Releases the latch; no effect on an empty guard. */
  @Override
  public void close() {
    if (address != 0) {
      address = 0;
      pageId = 0;
      if (write) {
        write = false;
        pool.latches().releaseExclusive(frame);
      } else {
        pool.latches().releaseShared(frame);
      }
      ctx.unlatched();
    }
  }

  void hold(
      BufferPool owner, EngineContext context, int frameIndex, long id, long at, boolean forWrite) {
    pool = owner;
    ctx = context;
    frame = frameIndex;
    pageId = id;
    address = at;
    write = forWrite;
    context.latched();
  }

  int frame() {
    return frame;
  }
}
