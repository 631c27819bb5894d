package io.gauss.server;

import io.gauss.storage.api.LogStream.LogReader;
import java.util.OptionalLong;

/** A stream as a command reads it, wherever it is stored. Not thread-safe. */
interface LogAccess extends AutoCloseable {
  /** Lowest offset that can be read. */
  long startOffset();

  /** See {@link io.gauss.storage.api.LogSource#locate}. */
  OptionalLong locate(long csn);

  /**
   * See {@link io.gauss.storage.api.LogSource#read}; called again at the end, it may return more.
   */
  LogReader read(long fromOffset);

  @Override
  void close();
}
