package io.gauss.storage.disk;

import java.io.IOException;
import java.util.List;

/**
 * One directory of files, with only the operations that the log needs, so that tests can simulate a
 * power loss, a full disk, a failed force or a flipped bit.
 *
 * <p>Creating, renaming and deleting are durable only after {@link #forceDirectory()}. All methods
 * may throw {@link DiskFullException}. Thread-safe.
 */
public interface Disk extends AutoCloseable {

  /** Names of the files, in no particular order. */
  List<String> list() throws IOException;

  /** Opens an existing file for reading and writing. Each call gives an independent handle. */
  DiskFile open(String name) throws IOException;

  /** Creates a file that must not exist. */
  DiskFile create(String name) throws IOException;

  /** Renames atomically; {@code to} must not exist. Open handles stay with the file. */
  void rename(String from, String to) throws IOException;

  void delete(String name) throws IOException;

  /** Makes all creations, renames and deletions survive power loss. */
  void forceDirectory() throws IOException;

  /** The file's name for messages. */
  String path(String name);

  @Override
  void close() throws IOException;
}
