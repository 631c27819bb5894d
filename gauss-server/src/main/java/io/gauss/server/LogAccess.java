package io.gauss.server;

import io.gauss.storage.api.LogStream.LogReader;
import java.util.OptionalLong;

/** A stream as a command reads it, wherever it is. Not thread-safe. */
interface LogAccess extends AutoCloseable {
  /** Lowest offset that can be read. */
  long startOffset();

  /** See {@link io.gauss.storage.api.LogSource#locate}. */
  OptionalLong locate(long csn);

  /** See {@link io.gauss.storage.api.LogSource#read}; asked again at the end, there may be more. */
  LogReader read(long fromOffset);

  @Override
  void close();
}
