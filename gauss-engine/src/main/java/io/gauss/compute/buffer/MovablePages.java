package io.gauss.compute.buffer;

/**
 * Pages of tables and indexes as they are moved between nodes ahead of their use. Thread-safe;
 * nothing here waits. Its answers may be out of date by the time they are used.
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
   * Visits the leaves, and parts of long rows, that this node owns. Inner pages of trees are
   * excluded: all nodes read them.
   */
  void forEachOwned(Visitor visitor);

  /** How many pages may come without evicting others. */
  int room();

  /** Whether the node has the page, if only to read it. */
  boolean isHere(long pageId);

  /** Whether the node owns the page, even if others have copies of it. */
  boolean isOwned(long pageId);

  /**
   * The node that owns a page, as far as its frame here tells: while a node has a copy that another
   * one gave it, that one owns the page.
   *
   * @param self slot of this node
   * @return a slot; 0 when it is not known
   */
  int owner(long pageId, int self);

  /**
   * Asks for the page, and the right to write it.
   *
   * @return false when there is no room for it
   */
  boolean ask(long pageId);
}
