package io.gauss.storage.local.log;

import io.gauss.storage.api.LogSourceContract;
import io.gauss.storage.api.LogStream;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The local stream on the real file system, written by its callers. */
class LocalLogSourceContractTest extends LogSourceContract {
  @TempDir Path directory;

  @Override
  protected LogStream open() {
    return LocalLogStream.open(
        directory.resolve("log"), 1, LogSettings.defaults().withSegmentBytes(16 << 10));
  }
}
