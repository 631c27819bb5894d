package io.gauss.storage.api;

import io.gauss.common.health.Problem;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Pages as the redo streams made them: fed by redo alone, never written to by a compute node.
 *
 * <p>Records are applied by the prevPageLSN rule (law 5, LSNs order): apply when {@code page.LSN ==
 * record.prevPageLSN}, skip when {@code page.LSN >= record.LSN}, otherwise park until the missing
 * one comes. Format and full-image records apply whenever {@code page.LSN < record.LSN} (rule 27).
 * Thread-safe.
 */
public interface PageStore extends PageReader, AutoCloseable {

  /**
   * Takes durable log bytes of a stream, in the order of offsets; what was taken before is skipped.
   * Blocks while the store is behind its memory limit (backpressure on the tail). Streams are
   * delivered side by side: one whose records wait for another stream may be held up until that one
   * has brought what is missing.
   */
  void apply(int streamId, long offset, ByteBuffer mtrs);

  /** Offset up to which a stream's records are taken. Never counts what is not yet readable. */
  long appliedOffset(int streamId);

  /** Reads a page as it is now, otherwise as {@link #readPage(long, int, long, long)}. */
  CompletableFuture<Long> readPage(long pageId, long destination);

  /**
   * Completes when a stream's records up to an offset can be read; fails with 53000 when that has
   * not come within the time. Never blocks its caller.
   */
  CompletableFuture<Void> reached(int streamId, long offset, long nanos);

  /**
   * Folds what is pending, makes it durable together with every stream's offset, and returns those
   * offsets by stream.
   */
  CheckpointResult checkpoint(CheckpointPace pace);

  default CheckpointResult checkpoint() {
    return checkpoint(CheckpointPace.FULL_SPEED);
  }

  /** From now on images of this source may stand in for folding. */
  void standIn(DurableImages images);

  /** Offset from which a stream must be replayed into this store after a restart. */
  long checkpointOffset(int streamId);

  /** How far it is with every stream that it knows. */
  List<Progress> progress();

  /** Bytes of records held in memory until folded. */
  long pendingBytes();

  /** What keeps the store from doing its work now; empty when nothing does. Does not wait. */
  default List<Problem> problems() {
    return List.of();
  }

  @Override
  void close();

  /**
   * How far the store is with a stream.
   *
   * @param applied {@link PageStore#appliedOffset}
   * @param checkpointed {@link PageStore#checkpointOffset}
   */
  record Progress(int stream, long applied, long checkpointed) {}

  /** What a checkpoint made durable. */
  record CheckpointResult(
      java.util.Map<Integer, Long> offsets, long pages, long bytes, long nanos) {}
}
