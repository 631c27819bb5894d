package io.gauss.storage.api;

import io.gauss.common.health.Problem;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Map;

/**
 * The storage tier as one compute node sees it: its own redo stream, and pages that are fed by all
 * streams. The two sides meet only in here: durable redo of the stream reaches the pages without an
 * action of the compute node.
 *
 * <p>Life cycle: creation, {@link #recover}, {@link #follow}, use, {@link #settle} if there was no
 * failure, {@link #close}. Thread-safe after {@link #follow}.
 */
public interface Storage extends MeterBinder, AutoCloseable {

  /** This node's redo stream. */
  LogStream stream();

  /** The epoch in which this node writes its stream. */
  int epoch();

  PageReader pages();

  /**
   * All replicas of the pages, by display name, for checks that compare them. Reads from a replica
   * that is down fail after seconds.
   */
  default Map<String, PageReader> replicas() {
    return Map.of("the page store", pages());
  }

  /**
   * Applies the redo of the stream that the pages lack.
   *
   * @return bytes of redo that were applied
   * @throws io.gauss.common.error.GaussException XX001 when stream and pages do not fit together
   */
  long recover();

  /** From now on redo that becomes durable in the stream is applied to the pages. */
  void follow(Listener listener);

  /** Images of this source may replace folding, if the pages are kept in this process. */
  void standIn(DurableImages images);

  /** Offset of the own stream up to which the pages have its records. */
  long appliedOffset();

  /** Offset of the own stream up to which the pages on disk have its records. */
  long checkpointOffset();

  /** Checkpoints of the pages in this process; those of storage nodes are not counted here. */
  CheckpointStats checkpoints();

  /**
   * Makes a checkpoint now if the pages are kept in this process; storage nodes make their own.
   *
   * @throws io.gauss.common.error.GaussException as {@link PageStore#checkpoint}
   */
  void checkpoint();

  /**
   * Before an orderly stop: waits until all durable redo is applied to the pages, so that the next
   * start has little to do. False when that took too long.
   */
  boolean settle();

  /** The problems that keep the tier from working now; empty when there are none. Does not wait. */
  List<Problem> problems();

  @Override
  void close();

  /** Receives the progress of the pages. Called on threads of the tier; must not block. */
  interface Listener {
    /** The pages have the own stream's records up to this offset. */
    void applied(long offset);

    /** The pages no longer follow the own stream; nothing from the offset on can be read back. */
    void stopped(long offset, Throwable cause);
  }

  /**
   * Checkpoints since the start.
   *
   * @param count finished ones
   * @param failures failed ones
   * @param nanos time that the finished ones took
   */
  record CheckpointStats(long count, long failures, long nanos) {
    public static final CheckpointStats NONE = new CheckpointStats(0, 0, 0);
  }
}
