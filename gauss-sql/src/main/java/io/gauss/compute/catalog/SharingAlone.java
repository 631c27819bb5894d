package io.gauss.compute.catalog;

import io.gauss.compute.mtr.EngineContext;

/** A compute node that is alone changes the catalog itself. */
final class SharingAlone implements CatalogSharing {
  @Override
  public long committing() {
    return 0;
  }

  @Override
  public void committed(long begun, long csn) {
    // There is nobody to tell.
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
