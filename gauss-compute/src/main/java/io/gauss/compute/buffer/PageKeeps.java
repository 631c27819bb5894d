package io.gauss.compute.buffer;

import io.gauss.compute.engine.EngineContext;
import java.util.Arrays;

/**
 * Several pages {@linkplain BufferPool#keep kept} from other nodes for one mini-transaction, in the
 * order in which all nodes get them. For try-with-resources; one thread.
 */
public final class PageKeeps implements AutoCloseable {
  private final BufferPool pool;
  private final EngineContext ctx;
  private final long[] pages;
  private int kept;

  /**
   * Gets the pages. May wait; no latch may be held.
   *
   * @param pageIds in any order, each once
   */
  public PageKeeps(BufferPool pool, EngineContext ctx, long... pageIds) {
    this.pool = pool;
    this.ctx = ctx;
    this.pages = pageIds.clone();
    Arrays.sort(pages);
    boolean complete = false;
    try {
      while (kept < pages.length) {
        pool.keep(ctx, pages[kept]);
        kept++;
      }
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  @Override
  public void close() {
    while (kept > 0) {
      kept--;
      pool.unkeep(ctx, pages[kept]);
    }
  }
}
