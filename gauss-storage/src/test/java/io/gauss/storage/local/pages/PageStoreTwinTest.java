package io.gauss.storage.local.pages;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The page store above RocksDB against its naive twin. */
class PageStoreTwinTest extends PageStoreTwinContract {
  @TempDir Path directory;

  @Override
  protected LocalPageStore open(String name, PageStoreSettings settings) {
    return LocalPageStore.open(directory.resolve(name), settings);
  }
}
