package io.gauss.storage.api;

import io.gauss.common.health.Problem;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Pages made from the redo streams: fed by redo alone, never written by a compute node.
 *
 * <p>Records are applied by the prevPageLSN rule (law 5, LSNs order): apply when {@code page.LSN ==
 * record.prevPageLSN}, skip when {@code page.LSN >= record.LSN}, otherwise park until the missing
 * one arrives. Format and full-image records apply whenever {@code page.LSN < record.LSN} (rule
 * 27). Thread-safe.
 */
public interface PageStore extends PageReader, AutoCloseable {

  /**
   * Takes durable log bytes of a stream, in the order of offsets; bytes that were taken before are
   * skipped. Blocks while the store is over its memory limit (backpressure on the tail). Streams
   * are delivered concurrently: a stream whose records wait for another stream may be blocked until
   * that one has delivered the missing records.
   */
  void apply(int streamId, long offset, ByteBuffer mtrs);

  /**
   * Offset up to which a stream's records are applied. Never counts records that are not yet
   * readable.
   */
  long appliedOffset(int streamId);

  /** Reads the present version of a page, otherwise as {@link #readPage(long, int, long, long)}. */
  CompletableFuture<Long> readPage(long pageId, long destination);

  /**
   * Completes when a stream's records up to an offset can be read; fails with 53000 when that has
   * not happened within the time. Never blocks its caller.
   */
  CompletableFuture<Void> reached(int streamId, long offset, long nanos);

  /**
   * Folds pending records, makes the pages durable together with every stream's offset, and returns
   * those offsets by stream.
   */
  CheckpointResult checkpoint(CheckpointPace pace);

  default CheckpointResult checkpoint() {
    return checkpoint(CheckpointPace.FULL_SPEED);
  }

  /** From now on images of this source may replace folding. */
  void standIn(DurableImages images);

  /** Offset from which a stream must be replayed into this store after a restart. */
  long checkpointOffset(int streamId);

  /** The progress of every stream that the store knows. */
  List<Progress> progress();

  /** Bytes of records held in memory until folded. */
  long pendingBytes();

  /**
   * The problems that keep the store from working now; empty when there are none. Does not wait.
   */
  default List<Problem> problems() {
    return List.of();
  }

  @Override
  void close();

  /**
   * The store's progress with a stream.
   *
   * @param applied {@link PageStore#appliedOffset}
   * @param checkpointed {@link PageStore#checkpointOffset}
   */
  record Progress(int stream, long applied, long checkpointed) {}

  /** Result of a checkpoint. */
  record CheckpointResult(
      java.util.Map<Integer, Long> offsets, long pages, long bytes, long nanos) {}
}
