package io.gauss.compute.catalog;

import io.gauss.compute.mtr.EngineContext;

/** For a single compute node, which is the only one that changes the catalog. */
final class SharingAlone implements CatalogSharing {
  @Override
  public long committing() {
    return 0;
  }

  @Override
  public void committed(long begun, long csn) {
    // There are no other nodes to notify.
  }

  @Override
  public long heard() {
    return 0;
  }

  @Override
  public void load(EngineContext caller) {
    // There is nothing to load.
  }
}
