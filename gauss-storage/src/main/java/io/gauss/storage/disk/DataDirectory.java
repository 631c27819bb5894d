package io.gauss.storage.disk;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A directory that one process locks while it runs. The operating system holds the lock and
 * releases it when the process ends, however it ends. The lock file contains the process id for
 * information.
 */
public final class DataDirectory implements AutoCloseable {
  private static final String LOCK_FILE = "gauss.lock";
  private static final long LOCK_WAIT_NANOS = 3_000_000_000L;
  private static final long LOCK_POLL_NANOS = 50_000_000L;

  private final Path path;
  private final FileChannel channel;

  private DataDirectory(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Creates the directory if needed and locks it.
   *
   * @throws GaussException 55006 when another process has locked it, 58030 when it cannot be used
   */
  public static DataDirectory take(Path path) {
    try {
      PrivateFiles.createDirectory(path);
      FileChannel channel =
          FileChannel.open(
              path.resolve(LOCK_FILE),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      FileLock lock = lock(channel);
      if (lock == null) {
        String owner = owner(channel);
        channel.close();
        throw new GaussException(
                SqlState.OBJECT_IN_USE, "data directory " + path + " is in use by another process")
            .detail(owner.isEmpty() ? null : "Its process id is " + owner + ".");
      }
      channel.truncate(0);
      channel.write(
          ByteBuffer.wrap(
              Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
      return new DataDirectory(path, channel);
    } catch (IOException e) {
      throw new GaussException(
          SqlState.IO_ERROR, "cannot use data directory " + path + ": " + e, e);
    }
  }

  /** Waits for the lock, since that of a killed process becomes free only after a moment. */
  private static FileLock lock(FileChannel channel) throws IOException {
    long start = Environment.nanoTime();
    try {
      FileLock lock = channel.tryLock();
      while (lock == null && Environment.nanoTime() - start < LOCK_WAIT_NANOS) {
        Environment.parkNanos(LOCK_POLL_NANOS);
        lock = channel.tryLock();
      }
      return lock;
    } catch (OverlappingFileLockException e) {
      return null; // locked within this process
    }
  }

  private static String owner(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(32);
    channel.read(bytes, 0);
    return new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII).trim();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot release data directory " + path, e);
    }
  }
}
