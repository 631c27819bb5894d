package io.gauss.compute.buffer;

/**
 * A page that was pinned has gone to another node meanwhile, and a thread never waits for the right
 * under latches: the node that gave it may wait for one of them. Release all latches, abandon the
 * MTR (nothing has changed), and start over with the pages {@linkplain BufferPool#retain retained}.
 *
 * <p>Never thrown by the pool of a single node. Used for control flow, so there is one instance
 * without a stack trace.
 */
public final class PageAwayException extends RuntimeException {
  private static final long serialVersionUID = 1;
  public static final PageAwayException INSTANCE = new PageAwayException();

  private PageAwayException() {
    super("a page that is needed under latches has gone to another node", null, false, false);
  }
}
