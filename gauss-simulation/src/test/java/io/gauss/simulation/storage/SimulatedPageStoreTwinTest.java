package io.gauss.simulation.storage;

import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PageStoreSettings;
import io.gauss.storage.local.pages.PageStoreTwinContract;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The product's page store above the stand-in for RocksDB against its naive twin. */
class SimulatedPageStoreTwinTest extends PageStoreTwinContract {
  private final Map<String, SimulatedPages> pages = new HashMap<>();

  @Override
  protected LocalPageStore open(String name, PageStoreSettings settings) {
    return LocalPageStore.open(
        Path.of("simulated", name),
        settings.withFreeBytes(() -> Long.MAX_VALUE / 2),
        pages.computeIfAbsent(name, absent -> new SimulatedPages(LogFaults.none())).open());
  }
}
