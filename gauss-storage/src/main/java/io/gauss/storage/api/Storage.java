package io.gauss.storage.api;

import io.gauss.common.health.Problem;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Map;

/**
 * The storage tier as one compute node sees it: its own redo stream, and pages that are fed by all
 * streams. The two sides meet in here only: what is durable in the stream gets to the pages without
 * the compute node's doing.
 *
 * <p>Life: made, {@link #recover}, {@link #follow}, used, {@link #settle} if all went well, {@link
 * #close}. Thread-safe after {@link #follow}.
 */
public interface Storage extends MeterBinder, AutoCloseable {

  /** This node's redo stream. */
  LogStream stream();

  /** The epoch in which this node writes its stream. */
  int epoch();

  PageReader pages();

  /**
   * Every place that keeps the pages, by a name for people; for checks that compare them. Reads of
   * one that is down fail after seconds.
   */
  default Map<String, PageReader> replicas() {
    return Map.of("the page store", pages());
  }

  /**
   * Gives the pages what they have not got of the stream.
   *
   * @return bytes of redo that were taken
   * @throws io.gauss.common.error.GaussException XX001 when stream and pages do not fit together
   */
  long recover();

  /** From now on what becomes durable in the stream gets to the pages. */
  void follow(Listener listener);

  /** Images of this source may stand in for folding, if the pages are kept in this process. */
  void standIn(DurableImages images);

  /** Offset of the own stream up to which the pages have its records. */
  long appliedOffset();

  /** Offset of the own stream up to which the pages on disk have its records. */
  long checkpointOffset();

  /** Checkpoints of the pages in this process; those of storage nodes are not counted here. */
  CheckpointStats checkpoints();

  /**
   * Makes a checkpoint now, where pages are kept in this process; elsewhere the storage nodes make
   * their own.
   *
   * @throws io.gauss.common.error.GaussException what {@link PageStore#checkpoint} throws
   */
  void checkpoint();

  /**
   * Before an orderly stop: waits for the pages to have what is durable, so that the next start has
   * little to do. False when that took too long.
   */
  boolean settle();

  /** What keeps the tier from doing its work now; empty when nothing does. Does not wait. */
  List<Problem> problems();

  @Override
  void close();

  /** Hears how far the pages are. Called on threads of the tier; must not block. */
  interface Listener {
    /** The pages have the own stream's records up to this offset. */
    void applied(long offset);

    /** The pages follow the own stream no more; nothing from the offset on can be read back. */
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
