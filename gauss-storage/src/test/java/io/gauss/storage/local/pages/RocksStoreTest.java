package io.gauss.storage.local.pages;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** RocksDB below a page store. */
class RocksStoreTest extends KeyValueStoreContract {
  @TempDir Path directory;

  @Override
  protected KeyValueStore open() {
    return RocksStore.open(directory, 1 << 20, 256 << 20);
  }
}
