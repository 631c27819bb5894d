package io.gauss.storage.local.log;

import io.gauss.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Reads frames of one segment file through a window, checking each. Not thread-safe.
 *
 * <p>A frame counts only if its offset is the expected one and its run is not below that of the
 * frame before it: former content of a recycled file, and frames behind a tail that was cut off,
 * have valid checksums and still are not part of the stream.
 */
final class FrameScanner implements AutoCloseable {
  private static final int WINDOW_BYTES = 1 << 20;

  private final int stream;
  private final CRC32C crc = new CRC32C();
  private ByteBuffer window =
      ByteBuffer.allocateDirect(WINDOW_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private DiskFile file;
  private boolean ownsFile;
  private long windowStart;
  private int windowBytes;
  private int at;

  FrameScanner(int stream) {
    this.stream = stream;
  }

  /** Continues in another file, and closes the former one if its ownership was handed over. */
  void useFile(DiskFile next, boolean handOver) throws IOException {
    close();
    file = next;
    ownsFile = handOver;
    windowBytes = 0;
  }

  String path() {
    return file.path();
  }

  /**
   * Whether an intact frame with that offset lies at the position; if so, the accessors below refer
   * to it.
   *
   * @param hintBytes about how many bytes from the position are worth reading at once
   */
  boolean read(long position, long expectedOffset, int minRun, long hintBytes) throws IOException {
    if (inWindow(position, LogBatchLayout.HEADER_BYTES)
        && check(position, expectedOffset, minRun)) {
      return true;
    }
    // The window may have been filled before the writer got this far: read the file again.
    fill(position, Math.min(hintBytes, window.capacity()));
    return inWindow(position, LogBatchLayout.HEADER_BYTES)
        && check(position, expectedOffset, minRun);
  }

  private boolean check(long position, long expectedOffset, int minRun) throws IOException {
    at = (int) (position - windowStart);
    if (!LogBatchLayout.headerIsValid(window, at, crc)
        || window.getInt(at + LogBatchLayout.STREAM) != stream
        || window.getLong(at + LogBatchLayout.OFFSET) != expectedOffset
        || run() < minRun) {
      return false;
    }
    long end = (long) LogBatchLayout.HEADER_BYTES + length();
    if (end > file.size() - position) {
      return false;
    }
    if (!inWindow(position, end)) {
      fill(position, end);
      at = 0;
      if (!inWindow(position, end) || !LogBatchLayout.headerIsValid(window, at, crc)) {
        return false;
      }
    }
    return LogBatchLayout.payloadIsValid(window, at, crc);
  }

  /**
   * The highest durable offset in intact headers from the position to the file's end that belong to
   * offsets at or above {@code fromOffset} and to runs from {@code minRun} on; 0 when there is
   * none.
   */
  long durableEvidence(long position, long fromOffset, int minRun) throws IOException {
    long highest = 0;
    long end = file.size() - LogBatchLayout.HEADER_BYTES;
    for (long p = position; p <= end; p += LogBatchLayout.ALIGNMENT) {
      if (!inWindow(p, LogBatchLayout.HEADER_BYTES)) {
        fill(p, WINDOW_BYTES);
      }
      int i = (int) (p - windowStart);
      if (window.getInt(i) == LogBatchLayout.MAGIC_VALUE
          && LogBatchLayout.headerIsValid(window, i, crc)
          && window.getInt(i + LogBatchLayout.STREAM) == stream
          && window.getInt(i + LogBatchLayout.RUN) >= minRun
          && window.getLong(i + LogBatchLayout.OFFSET) >= fromOffset) {
        highest = Math.max(highest, window.getLong(i + LogBatchLayout.DURABLE));
      }
    }
    return highest;
  }

  private boolean inWindow(long position, long bytes) {
    return position >= windowStart && position + bytes <= windowStart + windowBytes;
  }

  private void fill(long position, long bytes) throws IOException {
    if (bytes > window.capacity()) {
      window = ByteBuffer.allocateDirect((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
    window.clear().limit(Math.clamp(bytes, 512, window.capacity()));
    windowStart = position;
    windowBytes = 0;
    windowBytes = file.read(window, position);
    window.clear();
  }

  int epoch() {
    return window.getInt(at + LogBatchLayout.EPOCH);
  }

  int run() {
    return window.getInt(at + LogBatchLayout.RUN);
  }

  int length() {
    return window.getInt(at + LogBatchLayout.LENGTH);
  }

  long durable() {
    return window.getLong(at + LogBatchLayout.DURABLE);
  }

  long firstLsn() {
    return window.getLong(at + LogBatchLayout.FIRST_LSN);
  }

  long lastLsn() {
    return window.getLong(at + LogBatchLayout.LAST_LSN);
  }

  /** A view of the payload from {@code skip} bytes on, valid until the next read. */
  ByteBuffer payload(int skip) {
    return window
        .slice(at + LogBatchLayout.HEADER_BYTES + skip, length() - skip)
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void close() throws IOException {
    if (ownsFile && file != null) {
      file.close();
    }
    file = null;
  }
}
