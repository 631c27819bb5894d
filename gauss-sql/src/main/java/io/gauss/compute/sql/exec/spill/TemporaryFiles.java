package io.gauss.compute.sql.exec.spill;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The directory for spill files of sorts, joins and aggregates. Files are deleted when their
 * channel is closed; files left by a killed process are removed at start. Thread-safe.
 */
public final class TemporaryFiles {
  private static final String PREFIX = "spill-";

  private final Path directory;
  private final Opener opener;
  private final AtomicLong next = new AtomicLong();

  /** Opens a file. */
  @FunctionalInterface
  interface Opener {
    FileChannel open(Path file, OpenOption... options) throws IOException;
  }

  /** Creates the directory if necessary and removes old spill files from it. */
  public TemporaryFiles(Path directory) {
    this(directory, FileChannel::open);
  }

  TemporaryFiles(Path directory, Opener opener) {
    this.directory = directory;
    this.opener = opener;
    try {
      Files.createDirectories(directory);
      try (DirectoryStream<Path> old = Files.newDirectoryStream(directory, PREFIX + "*")) {
        for (Path file : old) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A new file for reading and writing, deleted when its channel is closed. */
  FileChannel create() {
    try {
      return opener.open(
          directory.resolve(PREFIX + next.incrementAndGet()),
          StandardOpenOption.CREATE_NEW,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          StandardOpenOption.DELETE_ON_CLOSE);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  static GaussException failure(IOException e) {
    String message = e.getMessage() == null ? "" : e.getMessage();
    SqlState state = message.contains("No space left") ? SqlState.DISK_FULL : SqlState.IO_ERROR;
    return new GaussException(state, "temporary file: " + message, e);
  }
}
