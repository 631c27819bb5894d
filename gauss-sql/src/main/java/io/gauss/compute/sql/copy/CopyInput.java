package io.gauss.compute.sql.copy;

/** The data of one COPY FROM. Belongs to the statement; one thread at a time. */
public interface CopyInput extends AutoCloseable {
  /**
   * Waits for data.
   *
   * @param length maximum of bytes to read, at least 1
   * @return number of bytes read, at least 1; -1 at the end
   * @throws io.gauss.common.error.GaussException 57014 when the client gives up or the statement is
   *     cancelled
   */
  int read(byte[] into, int offset, int length);

  /** Unread data is no longer needed. */
  @Override
  void close();
}
