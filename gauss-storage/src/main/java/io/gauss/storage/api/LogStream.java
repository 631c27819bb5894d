package io.gauss.storage.api;

import io.gauss.common.health.Problem;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * One compute node's redo stream: bytes at offsets that never change, appended in whole MTRs,
 * durable before they are acknowledged.
 *
 * <p>Results are explicit: after any error, {@link LogSource#endOffset} reports how much was
 * written. Implementations: a local one (segment files with fsync) and, later, one replicated by
 * Raft; both pass the same contract suite. Thread-safe, but appends of one stream come from one
 * thread in the order of their offsets.
 */
public interface LogStream extends LogSource, AutoCloseable {

  /**
   * Appends one log batch: whole MTRs, see {@code MtrLayout}.
   *
   * <p>Asynchronous: the bytes must not change until the callback, which comes once they are
   * durable or the append has failed. Several appends may be in flight; callbacks come in the order
   * of offsets.
   *
   * @param epoch the writer's epoch; for a lower one than the stream's the result is {@link
   *     AppendResult.Fenced}
   * @param offset the stream's end as the writer knows it; for bytes that are already there the
   *     result is {@link AppendResult.Appended} again
   * @param firstLsn LSN of the first record in the batch
   * @param lastLsn LSN of the last record in the batch
   */
  void append(
      int epoch,
      long offset,
      long firstLsn,
      long lastLsn,
      ByteBuffer bytes,
      AppendCallback callback);

  /** Closes the stream for ever for writers below {@code epoch} and returns its end offset. */
  long seal(int epoch);

  /** Highest LSN in the stream, 0 when it is empty. */
  long lastLsn();

  /**
   * The problems that keep the stream from working now; empty when there are none. Does not wait.
   */
  default List<Problem> problems() {
    return List.of();
  }

  @Override
  void close();

  /** Receives the outcome of an append. Called on a thread of the stream; must not block. */
  @FunctionalInterface
  interface AppendCallback {
    void done(AppendResult result);
  }

  /** Batches of a stream, in order. Not thread-safe. */
  interface LogReader extends AutoCloseable {
    /**
     * Moves to the next batch; false at the durable end. The bytes are valid until the next call.
     */
    boolean next();

    long offset();

    ByteBuffer bytes();

    long firstLsn();

    long lastLsn();

    @Override
    void close();
  }

  /**
   * Receives durable batches. Blocking in it slows the tail; that is how a lagging apply slows
   * commits.
   */
  @FunctionalInterface
  interface TailListener {
    void batch(int streamId, long offset, long firstLsn, long lastLsn, ByteBuffer bytes);

    /**
     * The tail has ended before it was closed: the stream could not be read, or {@link #batch}
     * threw. Nothing from the offset on is delivered.
     */
    default void stopped(long offset, Throwable cause) {}
  }

  /** Outcome of an append. */
  sealed interface AppendResult {
    /** Durable up to {@code endOffset}. */
    record Appended(long endOffset) implements AppendResult {}

    /** The offset is not the stream's end: nothing was written. This is the end. */
    record WrongOffset(long endOffset) implements AppendResult {}

    /** A newer epoch has sealed or taken the stream. */
    record Fenced(int epoch) implements AppendResult {}

    /** The disk is full: nothing was written, the writer may retry when there is room. */
    record DiskFull(String file) implements AppendResult {}

    /**
     * The state on disk is no longer known (a failed fsync); the stream accepts nothing until
     * reopened.
     */
    record Failed(Throwable cause) implements AppendResult {}
  }
}
