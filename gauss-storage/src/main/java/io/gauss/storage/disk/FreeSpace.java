package io.gauss.storage.disk;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Free space on the disk of a directory. Some of it is reserved, so that the log, which may be on
 * the same disk, can continue for a while. Thread-safe.
 */
public final class FreeSpace {
  private final Path directory;
  private final long left;
  private final LongSupplier free;

  /**
   * @param left bytes that stay free
   * @param free returns the free bytes; null = ask the file system
   */
  public FreeSpace(Path directory, long left, LongSupplier free) {
    this.directory = directory;
    this.left = left;
    this.free = free != null ? free : this::usableBytes;
  }

  private long usableBytes() {
    try {
      return Files.getFileStore(directory).getUsableSpace();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * @throws GaussException 53100 when there is no room for this number of bytes
   */
  public void require(long needed) {
    long now = free.getAsLong();
    if (now < left + needed) {
      throw new GaussException(
          SqlState.DISK_FULL, "no room for pages in " + directory + ": " + now + " bytes are free");
    }
  }
}
