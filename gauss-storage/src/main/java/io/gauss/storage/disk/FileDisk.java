package io.gauss.storage.disk;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A directory of the real file system, locked against a second process while it is open.
 *
 * <p>FileChannel closes itself when its thread is interrupted, so threads that use these files must
 * not be interrupted.
 */
public final class FileDisk implements Disk {
  private static final String LOCK_FILE = "lock";

  private final Path directory;
  private final FileChannel lockChannel;
  private final FileLock lock;

  private FileDisk(Path directory, FileChannel lockChannel, FileLock lock) {
    this.directory = directory;
    this.lockChannel = lockChannel;
    this.lock = lock;
  }

  /**
   * Creates the directory if needed and locks it.
   *
   * @throws GaussException OBJECT_IN_USE when another process, or this one, has it open
   */
  public static FileDisk open(Path directory) throws IOException {
    Files.createDirectories(directory);
    FileChannel channel =
        FileChannel.open(
            directory.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      throw inUse(directory, e);
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    if (lock == null) {
      throw inUse(directory, null);
    }
    FileDisk disk = new FileDisk(directory, channel, lock);
    disk.forceDirectory();
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      forceDirectory(parent);
    }
    return disk;
  }

  /** Opens a file for reading only, of a directory that another process may have open. */
  public static DiskFile openReadOnly(Path file) throws IOException {
    return new ChannelFile(file, FileChannel.open(file, StandardOpenOption.READ));
  }

  private static GaussException inUse(Path directory, Throwable cause) {
    return new GaussException(
        SqlState.OBJECT_IN_USE, "directory " + directory + " is in use by another process", cause);
  }

  @Override
  public List<String> list() throws IOException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.equals(LOCK_FILE))
          .forEach(names::add);
    }
    return names;
  }

  @Override
  public DiskFile open(String name) throws IOException {
    Path path = directory.resolve(name);
    return new ChannelFile(
        path, FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  @Override
  public DiskFile create(String name) throws IOException {
    Path path = directory.resolve(name);
    try {
      return new ChannelFile(
          path,
          FileChannel.open(
              path,
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE));
    } catch (IOException e) {
      throw translate(path, e);
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Path target = directory.resolve(to);
    if (Files.exists(target)) {
      throw new IOException(target + " exists already");
    }
    try {
      Files.move(directory.resolve(from), target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw translate(target, e);
    }
  }

  @Override
  public void delete(String name) throws IOException {
    Files.delete(directory.resolve(name));
  }

  @Override
  public void forceDirectory() throws IOException {
    forceDirectory(directory);
  }

  private static void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public String path(String name) {
    return directory.resolve(name).toString();
  }

  @Override
  public void close() throws IOException {
    lock.release();
    lockChannel.close();
  }

  /** The JDK has no exception class for a full disk; only the system's message identifies it. */
  private static IOException translate(Path path, IOException e) {
    String message = e.getMessage() == null ? "" : e.getMessage().toLowerCase(Locale.ROOT);
    if (message.contains("no space left") || message.contains("quota exceeded")) {
      return new DiskFullException(path.toString(), e);
    }
    return e;
  }

  /** A file channel that reports "no space left" as an exception of its own type. */
  private record ChannelFile(Path file, FileChannel channel) implements DiskFile {
    @Override
    public String path() {
      return file.toString();
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void write(ByteBuffer bytes, long position) throws IOException {
      try {
        long at = position;
        while (bytes.hasRemaining()) {
          at += channel.write(bytes, at);
        }
      } catch (IOException e) {
        throw translate(file, e);
      }
    }

    @Override
    public int read(ByteBuffer bytes, long position) throws IOException {
      int total = 0;
      while (bytes.hasRemaining()) {
        int n = channel.read(bytes, position + total);
        if (n <= 0) {
          break;
        }
        total += n;
      }
      return total;
    }

    @Override
    public void force(boolean metadata) throws IOException {
      channel.force(metadata);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
