package io.gauss.storage.disk;

import java.io.IOException;
import java.util.List;

/**
 * One directory of files, as narrow as the log needs it, so that tests can lose power, fill the
 * disk, fail a force or flip a bit.
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

  /** Makes everything that was created, renamed or deleted survive power loss. */
  void forceDirectory() throws IOException;

  /** What to call the file in messages. */
  String path(String name);

  @Override
  void close() throws IOException;
}
