package io.gauss.simulation.storage;

import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PageStoreContract;
import io.gauss.storage.local.pages.PageStoreSettings;
import java.nio.file.Path;

/** The product's page store above the stand-in for RocksDB. */
class SimulatedPageStoreTest extends PageStoreContract {
  private final SimulatedPages pages = new SimulatedPages(LogFaults.none());

  @Override
  protected LocalPageStore open(PageStoreSettings with) {
    return LocalPageStore.open(Path.of("simulated"), with, pages.open());
  }
}
