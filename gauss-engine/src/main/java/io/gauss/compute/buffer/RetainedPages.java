package io.gauss.compute.buffer;

import io.gauss.compute.mtr.EngineContext;
import java.util.Arrays;

/**
 * Several pages {@linkplain BufferPool#retain retained} from other nodes for one mini-transaction,
 * in the order in which all nodes get them. For try-with-resources; one thread.
 */
public final class RetainedPages implements AutoCloseable {
  private final BufferPool pool;
  private final EngineContext ctx;
  private final long[] pages;
  private int retained;

  /**
   * Gets the pages. May wait; no latch may be held.
   *
   * @param pageIds in any order
   */
  public RetainedPages(BufferPool pool, EngineContext ctx, long... pageIds) {
    this.pool = pool;
    this.ctx = ctx;
    this.pages = Arrays.stream(pageIds).sorted().distinct().toArray();
    boolean complete = false;
    try {
      while (retained < pages.length) {
        pool.retain(ctx, pages[retained]);
        retained++;
      }
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /**
   * Runs a mini-transaction that latches several pinned pages; if one of them has gone, runs it
   * again with all of them retained. The mini-transaction releases everything when it fails. For
   * undo pages only: it asks for log space with pages retained, and a holder of log space might
   * wait for other kinds of pages.
   */
  public static void run(BufferPool pool, EngineContext ctx, Runnable mtr, long... undoPages) {
    boolean done = runOnce(mtr);
    while (!done) {
      try (RetainedPages retained = new RetainedPages(pool, ctx, undoPages)) {
        done = runOnce(mtr);
      }
    }
  }

  private static boolean runOnce(Runnable mtr) {
    try {
      mtr.run();
      return true;
    } catch (PageAwayException e) {
      return false;
    }
  }

  @Override
  public void close() {
    while (retained > 0) {
      retained--;
      pool.releaseRetained(ctx, pages[retained]);
    }
  }
}
