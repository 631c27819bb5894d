package io.gauss.compute.sql.exec;

import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.wait.WaitCause;

/** Pages that a part of a statement accessed. One thread. */
public final class PageCounts {
  private long accesses;
  private long missed;
  private long remote;
  private long waitNanos;
  private long remoteNanos;

  /** To be called when the part begins or continues. */
  public void begin(EngineContext ctx) {
    accesses -= ctx.pages().hits();
    missed -= ctx.pages().misses();
    remote -= ctx.pages().remote();
    waitNanos -= ctx.waits().waitedNanos(WaitCause.PAGE);
    remoteNanos -= ctx.pages().remoteNanos();
  }

  /** To be called when the part pauses or ends. */
  public void end(EngineContext ctx) {
    accesses += ctx.pages().hits();
    missed += ctx.pages().misses();
    remote += ctx.pages().remote();
    waitNanos += ctx.waits().waitedNanos(WaitCause.PAGE);
    remoteNanos += ctx.pages().remoteNanos();
  }

  /** Accesses to pages that were here, without the access that follows the loading of a page. */
  public long hits() {
    return Math.max(0, accesses - missed);
  }

  /** Pages that came from this node's page stores. */
  public long read() {
    return missed - remote;
  }

  /** Pages, or rights to them, that came from other compute nodes and memory nodes. */
  public long remote() {
    return remote;
  }

  /** Waits for pages from page stores, and for room in the buffer pool. */
  public long readNanos() {
    return Math.max(0, waitNanos - remoteNanos);
  }

  /** Waits for pages and rights from other nodes. */
  public long remoteNanos() {
    return remoteNanos;
  }
}
