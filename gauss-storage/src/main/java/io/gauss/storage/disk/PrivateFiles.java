package io.gauss.storage.disk;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A node's directories and files are for its own user alone: they contain all data, the cluster's
 * key and passwords' verifiers. On file systems without POSIX permissions nothing is checked.
 */
public final class PrivateFiles {
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.complementOf(
          EnumSet.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  /** Ends of the names of files that contain keys. */
  private static final List<String> SECRETS = List.of(".key", ".secret");

  private PrivateFiles() {}

  /**
   * Creates a directory that only its owner may enter. One that exists, is empty and belongs to
   * this process's user is closed to others, as initdb does it: nothing that they use is lost. Any
   * other one is left as it is.
   *
   * @return the directory
   */
  public static Path createDirectory(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      closeIfEmpty(directory);
      return directory;
    }
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try {
      return Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    } catch (UnsupportedOperationException e) {
      return Files.createDirectories(directory); // the file system knows no permissions
    }
  }

  private static void closeIfEmpty(Path directory) throws IOException {
    if (!hasPermissions(directory)
        || !Files.getOwner(directory).getName().equals(System.getProperty("user.name"))) {
      return;
    }
    boolean empty;
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory)) {
      empty = !found.iterator().hasNext();
    }
    if (empty) {
      Files.setPosixFilePermissions(directory, OWNER_ONLY);
    }
  }

  /**
   * Checks that others cannot enter the directory, and, since it may have been copied from
   * elsewhere, that they can neither read nor write the files with secrets in it.
   *
   * @throws GaussException 55000 when they can
   */
  public static void check(Path directory) throws IOException {
    if (!hasPermissions(directory)) {
      return;
    }
    check(directory, directory);
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory)) {
      for (Path each : found) {
        String name = each.getFileName().toString();
        if (SECRETS.stream().anyMatch(name::endsWith) && Files.isRegularFile(each)) {
          check(directory, each);
        }
      }
    }
  }

  /**
   * Checks a file with a key outside of the data directory, as others check theirs: nobody but its
   * owner may read it, or, when it is another user's, a group of this process's user. A file that
   * does not exist is left to whoever reads it.
   *
   * @throws GaussException 55000 when others can read or change it
   */
  public static void checkSecret(Path file) throws IOException {
    if (!Files.isRegularFile(file) || !hasPermissions(file)) {
      return;
    }
    Set<PosixFilePermission> now = Files.getPosixFilePermissions(file);
    Set<PosixFilePermission> tooMany = EnumSet.copyOf(OTHERS);
    if (!Files.getOwner(file).getName().equals(System.getProperty("user.name"))) {
      tooMany.remove(PosixFilePermission.GROUP_READ);
    }
    tooMany.retainAll(now);
    if (!tooMany.isEmpty()) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "%s contains a key and is open to other users (%s). Run: chmod go= '%s'"
              .formatted(file, PosixFilePermissions.toString(now), file));
    }
  }

  private static void check(Path directory, Path each) throws IOException {
    Set<PosixFilePermission> now = Files.getPosixFilePermissions(each);
    Set<PosixFilePermission> tooMany = EnumSet.copyOf(OTHERS);
    tooMany.retainAll(now);
    if (!tooMany.isEmpty()) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "%s is open to other users (%s); a data directory and its files must be for their owner alone. Run: chmod -R go= '%s'"
              .formatted(each, PosixFilePermissions.toString(now), directory));
    }
  }

  private static boolean hasPermissions(Path path) throws IOException {
    return Files.getFileStore(path).supportsFileAttributeView(PosixFileAttributeView.class);
  }
}
