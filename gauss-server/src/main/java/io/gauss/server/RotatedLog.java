package io.gauss.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code gauss.log}, where the output of a process in the background goes, and its predecessors
 * {@code gauss.log.1} (the newest) to {@code gauss.log.4}. For one thread.
 *
 * <p>The file is copied and then emptied, not renamed: the process, and what runs in it without
 * Java's knowledge, holds it open as its standard output and appends to it. A line that is written
 * between the two steps is lost. Where the copy cannot be made, on a full disk for example, nothing
 * but the oldest file is lost, and the next attempt is made a minute later.
 */
final class RotatedLog {
  static final String NAME = "gauss.log";

  private static final Logger LOG = LoggerFactory.getLogger(RotatedLog.class);
  private static final long MAX_BYTES = 64L << 20;
  private static final int OLDER_FILES = 4;
  private static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Path file;
  private final long maxBytes;
  private boolean failed;
  private long failedNanos;

  /**
   * @param directory of the node or the cluster; it may have no such file
   */
  RotatedLog(Path directory) {
    this(directory, MAX_BYTES);
  }

  RotatedLog(Path directory, long maxBytes) {
    this.file = directory.resolve(NAME);
    this.maxBytes = maxBytes;
  }

  /** Begins the file anew if it has become too large. A failure is logged, and has no effect. */
  void rotateIfLarge() {
    if (failed && System.nanoTime() - failedNanos < AGAIN_NANOS) {
      return;
    }
    failed = false;
    try {
      if (Files.exists(file) && Files.size(file) > maxBytes) {
        rotate();
      }
    } catch (IOException e) {
      failed = true;
      failedNanos = System.nanoTime();
      LOG.warn("{} is too large and cannot be begun anew: {}", file, e.toString());
    }
  }

  private void rotate() throws IOException {
    Files.deleteIfExists(older(OLDER_FILES)); // first: the disk may be full
    Path copy = file.resolveSibling(NAME + ".new");
    Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
    for (int i = OLDER_FILES - 1; i > 0; i--) {
      if (Files.exists(older(i))) {
        Files.move(older(i), older(i + 1), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    Files.move(copy, older(1));
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(0);
    }
    LOG.info("{} begins anew; what was in it is in {}", file, older(1));
  }

  private Path older(int number) {
    return file.resolveSibling(NAME + "." + number);
  }
}
