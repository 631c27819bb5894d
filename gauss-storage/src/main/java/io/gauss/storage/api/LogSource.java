package io.gauss.storage.api;

import java.util.OptionalLong;

/**
 * A stream's bytes for its followers: page stores now; archives, standbys and change data capture
 * would use the same interface. Thread-safe.
 */
public interface LogSource {
  /** The stream's number: compute node slot in the low 8 bits. */
  int streamId();

  /** Lowest offset still readable. */
  long startOffset();

  /** Offset after the last byte accepted. */
  long endOffset();

  /** Offset up to which bytes survive power loss. */
  long durableOffset();

  /**
   * Opens a reader at an offset that is the start of an MTR.
   *
   * @throws io.gauss.common.error.GaussException 55000 when that offset was trimmed, also thrown by
   *     the reader when that happens while it reads; XX001 naming file and position where a
   *     checksum does not match before the durable end; IO_ERROR when reading fails
   * @throws IllegalArgumentException when the offset is behind the end; a source that may itself be
   *     behind waits until it gets there
   */
  LogStream.LogReader read(long fromOffset);

  /**
   * Delivers durable batches from an offset on, in order, on a thread of the stream, until the tail
   * or the stream is closed. Closing returns when the listener will not be called again, unless the
   * listener itself closes.
   *
   * @param fromOffset the start of an MTR
   * @throws io.gauss.common.error.GaussException 55000 when that offset was trimmed; later failures
   *     are reported to the listener
   * @throws IllegalArgumentException as {@link #read}
   */
  AutoCloseable tail(long fromOffset, LogStream.TailListener listener);

  /**
   * Offset of the batch that holds the first record with LSN at or above {@code csn}; empty when it
   * is after the end.
   *
   * @throws io.gauss.common.error.GaussException 55000 when that record was trimmed, so that a
   *     caller does not take the rest for everything from {@code csn} on
   */
  OptionalLong locate(long csn);

  /**
   * Whether this is one of several copies, so that the pages next to it may be ahead of it. That is
   * so for a replica whose pages were fetched from another one.
   */
  default boolean isReplica() {
    return false;
  }

  /**
   * Number of batches at or behind an offset, if each of them takes memory as long as it is not
   * trimmed; else 0.
   */
  default long batchesInMemory(long fromOffset) {
    return 0;
  }

  /**
   * Allows the stream to recycle everything that lies wholly before the offset. It may keep more,
   * and then starts with a whole batch.
   */
  void trim(long offset);
}
