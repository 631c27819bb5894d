package io.gauss.compute.catalog;

import io.gauss.compute.mtr.EngineContext;

/**
 * Coordination of several compute nodes that change one catalog. Every other node knows of a
 * change, through its {@link #heard}, before the change is visible to any session. Thread-safe.
 */
public interface CatalogSharing {
  /** The only compute node. */
  CatalogSharing ALONE = new SharingAlone();

  /**
   * A transaction that has changed the catalog is about to reserve its commit; {@link #committed}
   * follows at once in any case.
   *
   * @return to be passed to {@link #committed}
   */
  long committing();

  /**
   * @param begun as {@link #committing} returned it
   * @param csn of the commit, 0 = there was none
   */
  void committed(long begun, long csn);

  /**
   * The LSN up to which other nodes have changed the catalog: a catalog loaded under a lower
   * snapshot may lack changes. On the path of every statement.
   */
  long heard();

  /**
   * Loads the changes of other nodes. Waits for pages, and until this node may take snapshots.
   *
   * @param caller the caller's context
   */
  void load(EngineContext caller);
}
