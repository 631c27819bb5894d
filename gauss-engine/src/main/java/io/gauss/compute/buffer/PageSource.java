package io.gauss.compute.buffer;

/** Where a buffer pool gets pages from and gives them back to. Thread-safe. */
interface PageSource {

  /**
   * Begins to get a page: its bytes into the frame, or only the right to it. Ends with {@link
   * BufferPool#arrived} or {@link BufferPool#failed}. Never waits.
   *
   * @param intent the purpose for which the page is wanted
   */
  void want(long pageId, int frame, PageIntent intent);

  /**
   * Whether pages are shared with other nodes, so that a right may go though the page is pinned,
   * and dropping a page has to be reported.
   */
  boolean isShared();

  /**
   * Asks whether a page's frame may be dropped now; if not, giving the page back has begun, and
   * frees the frame when it ends. The caller holds the frame's latch exclusively and the lock of
   * its stripe, and the page's redo is durable; must not wait.
   *
   * @param changed whether the page was changed here since it came
   */
  boolean release(long pageId, int frame, boolean changed);

  /** A transaction that wants to write a row of the page has to wait for another transaction. */
  default void rowIsTaken(long pageId) {}

  /** A transaction of this node has committed or rolled back. */
  default void transactionEnded() {}
}
