package io.gauss.compute.buffer;

/**
 * A page that was pinned has gone to another node meanwhile, and the right to it is not waited for
 * under latches: whoever gave it may wait for one of them. Release all latches, abandon the MTR
 * (nothing has changed), and start over with the pages {@linkplain BufferPool#retain retained}.
 *
 * <p>Never thrown by the pool of a node that has no others. Control flow, so one instance without a
 * stack.
 */
public final class PageAwayException extends RuntimeException {
  private static final long serialVersionUID = 1;
  public static final PageAwayException INSTANCE = new PageAwayException();

  private PageAwayException() {
    super("a page that is needed under latches has gone to another node", null, false, false);
  }
}
