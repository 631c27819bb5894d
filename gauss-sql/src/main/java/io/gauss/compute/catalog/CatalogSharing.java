package io.gauss.compute.catalog;

import io.gauss.compute.mtr.EngineContext;

/**
 * What several compute nodes that change one catalog have to do with each other. A change is known
 * to every other node, as {@link #heard} there, before it is visible to anybody. Thread-safe.
 */
public interface CatalogSharing {
  /** The only compute node. */
  CatalogSharing ALONE = new SharingAlone();

  /**
   * A transaction that has changed the catalog is about to reserve its commit; {@link #committed}
   * follows at once, whatever happens.
   *
   * @return to be given to that
   */
  long committing();

  /**
   * @param begun as {@link #committing} returned it
   * @param csn of the commit, 0 = there was none
   */
  void committed(long begun, long csn);

  /**
   * Other nodes have changed the catalog up to this LSN: what was loaded under a lower snapshot may
   * lack something. On the path of every statement.
   */
  long heard();

  /**
   * Loads what others have changed. Waits, for pages and until this node may take snapshots.
   *
   * @param caller the context of whoever needs it
   */
  void load(EngineContext caller);
}
