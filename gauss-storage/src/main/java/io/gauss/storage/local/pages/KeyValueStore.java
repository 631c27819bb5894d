package io.gauss.storage.local.pages;

import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * The ordered map of bytes below a page store, see {@link PageKeyLayout}. Keys are ordered by their
 * unsigned bytes.
 *
 * <p>A write is durable once a {@link #checkpoint} that began after it has ended, and may be
 * durable before. Writes become durable in their order: what survives a crash is what was written
 * up to some moment. So an offset never becomes durable before the pages that were written ahead of
 * it.
 *
 * <p>Thread-safe, except for cursors.
 */
public interface KeyValueStore extends AutoCloseable {
  /** Length of a value that is absent. */
  int NOT_FOUND = -1;

  /**
   * Copies a value into the buffer.
   *
   * @param key direct
   * @param value direct, with room for the value
   * @return the value's length, or {@link #NOT_FOUND}
   */
  int get(ByteBuffer key, ByteBuffer value) throws Failure;

  /** A value; null when it is absent. */
  byte[] get(byte[] key) throws Failure;

  /**
   * @param key direct
   * @param value direct
   */
  void put(ByteBuffer key, ByteBuffer value) throws Failure;

  void put(byte[] key, byte[] value) throws Failure;

  void delete(byte[] key) throws Failure;

  /** Deletes all keys at or above one and below another, in one write. */
  void deleteRange(byte[] from, byte[] below) throws Failure;

  /**
   * Begins to give the room of what {@link #deleteRange} deleted back to the disk, in the
   * background. Does not wait.
   */
  void reclaim();

  /** Bytes of the disk that {@link #reclaim} has given back since the store was opened. */
  long reclaimedBytes();

  /** Writes values atomically, and makes them and everything written before durable. */
  void checkpoint(Map<byte[], byte[]> values) throws Failure;

  /** Reads in the order of keys, at no particular moment. */
  Cursor cursor();

  /** Reads what there is now, whatever is written meanwhile. */
  Cursor snapshot();

  /** Checks a few pages, see {@link DamageScan#walk}. For one thread at a time. */
  long walk(long from, int pages, LongConsumer seen) throws Failure;

  /** The present problem; null when there is none. Must not be called during or after the close. */
  Problem problem();

  boolean isClosed();

  /** Closes without making anything durable. */
  @Override
  void close();

  /** A position in the order of keys. For one thread; closed before the store is. */
  interface Cursor extends AutoCloseable {
    /** Moves to the first key at or after this one. */
    void seek(byte[] key);

    /** False behind the last key, and at damage, which {@link #check} distinguishes. */
    boolean isValid();

    /**
     * @throws Failure when the cursor is not valid because of a failure
     */
    void check() throws Failure;

    byte[] key();

    byte[] value();

    /** Copies the value into the buffer; returns its length. */
    int value(ByteBuffer to);

    void next();

    @Override
    void close();
  }

  /** A failed operation. */
  final class Failure extends Exception {
    private static final long serialVersionUID = 1;

    private final SqlState state;

    /**
     * @param state 53100 for a full disk, XX001 for damage, IO_ERROR otherwise
     */
    public Failure(SqlState state, String message, Throwable cause) {
      super(message, cause);
      this.state = state;
    }

    SqlState state() {
      return state;
    }
  }
}
