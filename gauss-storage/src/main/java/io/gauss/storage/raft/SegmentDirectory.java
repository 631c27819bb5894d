package io.gauss.storage.raft;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Forces a group's directory when its log has begun a new segment: Ratis forces the bytes of a
 * segment, but not the directory that names it, so a power failure could take away a whole file of
 * acknowledged entries. The same force makes durable the term and the vote, which lie beside it.
 *
 * <p>Called by the thread that writes the log, before each force of a segment; costs a look at one
 * file's attributes then. A segment that replaces a deleted one of the same name is told from it by
 * its file key, which cannot be given to another file as long as the old one is held open here.
 *
 * <p>Thread-safe.
 */
final class SegmentDirectory implements AutoCloseable {
  /** Forces a directory. */
  @FunctionalInterface
  interface Force {
    void force(Path directory) throws IOException;
  }

  /** The segment whose name is durable, held open. */
  private record Named(Path path, Object key, FileChannel file) {}

  private final Path directory;
  private final Force force;
  private Named durable;

  SegmentDirectory(Path directory, Force force) {
    this.directory = directory;
    this.force = force;
  }

  /**
   * Entries are about to be forced.
   *
   * @throws IOException when the directory cannot be forced; the entries must not count as forced
   */
  synchronized void beforeForce() throws IOException {
    if (durable != null && durable.key().equals(key(durable.path()))) {
      return;
    }
    close();
    Optional<Path> open = openSegment();
    Named named = open.isPresent() ? hold(open.get()) : null;
    try {
      force.force(directory);
    } catch (IOException | RuntimeException e) {
      if (named != null) {
        named.file().close();
      }
      throw e;
    }
    durable = named;
  }

  private Optional<Path> openSegment() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(UnforcedTail.OPEN_SEGMENT))
          .findAny();
    }
  }

  /** Null when this file system has no keys. */
  private static Named hold(Path path) throws IOException {
    FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
    Object key = key(path);
    if (key == null) {
      file.close();
      return null;
    }
    return new Named(path, key, file);
  }

  private static Object key(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException closed) {
      return null;
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (durable != null) {
      durable.file().close();
      durable = null;
    }
  }
}
