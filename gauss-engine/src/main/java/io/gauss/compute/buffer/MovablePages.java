package io.gauss.compute.buffer;

/**
 * Pages of tables and indexes as they are moved between nodes ahead of their use. Thread-safe;
 * nothing here waits. What it tells may have changed by the time that it is used.
 */
public interface MovablePages {
  /** Takes a page. */
  @FunctionalInterface
  interface Visitor {
    /**
     * @param lsn of the page's last change
     */
    void owned(long pageId, long lsn);
  }

  /**
   * Visits the leaves, and parts of long rows, that this node owns. Inner pages of trees are not
   * among them: all nodes read those.
   */
  void forEachOwned(Visitor visitor);

  /** How many pages may come without anything else having to go. */
  int room();

  /** Whether the node has the page, if only to read it. */
  boolean isHere(long pageId);

  /** Whether the node has the right to write the page, others apart that read it. */
  boolean isOwned(long pageId);

  /**
   * Asks for the page, and the right to write it.
   *
   * @return false when there is no room for it
   */
  boolean ask(long pageId);
}
