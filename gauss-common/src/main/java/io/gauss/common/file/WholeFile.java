package io.gauss.common.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Replaces and removes small files such that a process that is killed, and a machine that loses
 * power, leave them as they were before or as they are afterwards, and what the caller was told to
 * be done stays done.
 *
 * <p>A file is written next to the one that it replaces, forced, and renamed; then the directory is
 * forced. Two writers of the same file have to exclude each other. Stateless, thread-safe.
 */
public final class WholeFile {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private WholeFile() {}

  /** Makes what was written survive; tests look at what a loss of power would leave. */
  @FunctionalInterface
  interface Force {
    Force DISK = (channel, path) -> channel.force(true);

    /**
     * @param path of the file or directory
     */
    void force(FileChannel channel, Path path) throws IOException;
  }

  /** Replaces a file, or the one that a symbolic link names; permissions stay. */
  public static void write(Path file, String text) throws IOException {
    Path target = Files.exists(file) ? file.toRealPath() : file;
    write(target, text, Files.exists(target) ? permissions(target) : null, Force.DISK);
  }

  /** The same for a file that its owner alone may read and write. */
  public static void writeForOwner(Path file, String text) throws IOException {
    write(file, text, OWNER_ONLY, Force.DISK);
  }

  /** Null where the file system has none. */
  private static Set<PosixFilePermission> permissions(Path file) throws IOException {
    try {
      return Files.getPosixFilePermissions(file);
    } catch (UnsupportedOperationException e) {
      return null;
    }
  }

  /**
   * @param permissions null = those of a new file
   */
  static void write(Path file, String text, Set<PosixFilePermission> permissions, Force force)
      throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    FileAttribute<?>[] attributes =
        permissions == null
            ? new FileAttribute<?>[0]
            : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)};
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            attributes)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      force.force(channel, fresh);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    forceDirectory(file.toAbsolutePath().getParent(), force);
  }

  /**
   * Removes a file for good.
   *
   * @return false when there was none: somebody else has removed it
   */
  public static boolean remove(Path file) throws IOException {
    return remove(file, Force.DISK);
  }

  static boolean remove(Path file, Force force) throws IOException {
    if (!Files.deleteIfExists(file)) {
      return false;
    }
    forceDirectory(file.toAbsolutePath().getParent(), force);
    return true;
  }

  /** Creates a directory, and those above it that are missing, for good. */
  public static void createDirectories(Path directory) throws IOException {
    Path missing = directory.toAbsolutePath();
    if (Files.isDirectory(missing)) {
      return;
    }
    createDirectories(missing.getParent());
    Files.createDirectories(missing);
    forceDirectory(missing.getParent(), Force.DISK);
  }

  /** Makes the names of the files in it survive. */
  private static void forceDirectory(Path directory, Force force) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      force.force(channel, directory);
    }
  }
}
