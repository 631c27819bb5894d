package io.gauss.simulation.storage;

import io.gauss.storage.local.pages.KeyValueStore;
import io.gauss.storage.local.pages.KeyValueStoreContract;

/** The stand-in for RocksDB keeps its contract. */
class SimulatedPagesTest extends KeyValueStoreContract {
  private final SimulatedPages pages = new SimulatedPages(LogFaults.none());

  @Override
  protected KeyValueStore open() {
    return pages.open();
  }
}
