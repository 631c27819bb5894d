package io.gauss.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file. Access is positional, so one writer and many readers need no coordination.
 * Thread-safe.
 */
public interface DiskFile extends AutoCloseable {

  /** The file's name for messages. */
  String path();

  long size() throws IOException;

  /**
   * Writes all remaining bytes at the position.
   *
   * @throws DiskFullException when there is no room; an unknown part of the bytes may have been
   *     written
   */
  void write(ByteBuffer bytes, long position) throws IOException;

  /**
   * Reads until the buffer is full or the file ends; returns the number of bytes read, 0 at or past
   * the end.
   */
  int read(ByteBuffer bytes, long position) throws IOException;

  /**
   * Makes written bytes survive power loss. After a failure the state on disk is unknown, and a
   * successful repetition proves nothing.
   *
   * @param metadata whether to force also metadata that is not needed to read the bytes back
   */
  void force(boolean metadata) throws IOException;

  @Override
  void close() throws IOException;
}
