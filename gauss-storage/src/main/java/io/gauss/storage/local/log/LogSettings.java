package io.gauss.storage.local.log;

import java.util.function.LongConsumer;

/**
 * Settings of a {@link LocalLogStream}.
 *
 * @param segmentBytes size of a segment file; a batch must fit into one
 * @param preparedSegments how many segments are zeroed ahead of the writer, at least 1
 * @param directAppend whether an append that finds nothing in flight is written and forced by its
 *     own caller, which saves two thread switches; its callback is then called before {@code
 *     append} returns
 * @param forceNanos receives the time of each force, for a histogram; called on the writing thread
 */
public record LogSettings(
    int segmentBytes, int preparedSegments, boolean directAppend, LongConsumer forceNanos) {
  public LogSettings {
    if (segmentBytes < 2 * LogSegmentLayout.FRAMES || segmentBytes % LogSegmentLayout.FRAMES != 0) {
      throw new IllegalArgumentException("segment bytes " + segmentBytes);
    }
    if (preparedSegments < 1) {
      throw new IllegalArgumentException("prepared segments " + preparedSegments);
    }
  }

  public static LogSettings defaults() {
    return new LogSettings(64 << 20, 1, true, nanos -> {});
  }

  public LogSettings withSegmentBytes(int bytes) {
    return new LogSettings(bytes, preparedSegments, directAppend, forceNanos);
  }

  public LogSettings withDirectAppend(boolean direct) {
    return new LogSettings(segmentBytes, preparedSegments, direct, forceNanos);
  }

  /** Largest batch that an append takes. */
  int maxBatchBytes() {
    return segmentBytes - LogSegmentLayout.FRAMES - LogBatchLayout.HEADER_BYTES;
  }
}
