package io.gauss.compute.engine;

import io.gauss.common.error.GaussException;
import io.gauss.common.fault.FaultPoints;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.PageStore;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes checkpoints of the page store, after so many log bytes or so much time, and lets the stream
 * forget what lies before. Redo after a restart begins at the last one.
 *
 * <p>Invariant: the stream is trimmed only up to an offset that a finished checkpoint returned.
 * Thread-safe.
 */
public final class Checkpointer {
  private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

  private final LogStream stream;
  private final PageStore store;
  private final long bytes;
  private final long intervalNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile long lastOffset;
  private volatile long lastNanos = System.nanoTime();
  private final LongAdder count = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  Checkpointer(LogStream stream, PageStore store, long bytes, Duration interval) {
    this.stream = stream;
    this.store = store;
    this.bytes = bytes;
    this.intervalNanos = interval.toNanos();
    this.lastOffset = store.checkpointOffset(stream.streamId());
  }

  /** Makes one if it is time. */
  void runIfDue() {
    long written = store.appliedOffset(stream.streamId()) - lastOffset;
    if (written >= bytes || (written > 0 && System.nanoTime() - lastNanos >= intervalNanos)) {
      try {
        run();
      } catch (GaussException e) {
        lastNanos = System.nanoTime();
        LOG.warn("checkpoint failed ({}); the log is kept and it is tried again", e.getMessage());
      }
    }
  }

  /** Makes one now. */
  public void run() {
    lock.lock();
    try {
      FaultPoints.hit("checkpoint.begin");
      PageStore.CheckpointResult result = store.checkpoint();
      FaultPoints.hit("checkpoint.before-trim");
      Long offset = result.offsets().get(stream.streamId());
      if (offset != null) {
        stream.trim(offset);
        lastOffset = offset;
      }
      lastNanos = System.nanoTime();
      count.increment();
      nanos.add(result.nanos());
      LOG.info(
          "checkpoint at offset {}: {} pages, {} KB in {} ms",
          offset,
          result.pages(),
          result.bytes() >> 10,
          result.nanos() / 1_000_000);
    } finally {
      lock.unlock();
    }
  }

  public long count() {
    return count.sum();
  }

  public long totalNanos() {
    return nanos.sum();
  }

  /** Log bytes written since the last one: what a restart now would read. */
  public long bytesSince() {
    return stream.durableOffset() - lastOffset;
  }
}
