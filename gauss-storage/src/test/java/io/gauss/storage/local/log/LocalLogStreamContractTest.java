package io.gauss.storage.local.log;

import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.LogStreamContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The local stream on the real file system, written by its callers. */
class LocalLogStreamContractTest extends LogStreamContract {
  @TempDir Path directory;

  @Override
  protected LogStream open() {
    return LocalLogStream.open(
        directory.resolve("log"), 1, LogSettings.defaults().withSegmentBytes(16 << 10));
  }
}
