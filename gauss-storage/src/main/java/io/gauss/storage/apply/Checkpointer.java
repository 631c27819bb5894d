package io.gauss.storage.apply;

import io.gauss.common.error.GaussException;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.health.Problem;
import io.gauss.common.runtime.Environment;
import io.gauss.storage.api.CheckpointPace;
import io.gauss.storage.api.LogSource;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.api.Storage.CheckpointStats;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes checkpoints of the page store after a number of log bytes or a time, and trims the streams
 * up to them. Redo after a restart begins at the last checkpoint.
 *
 * <p>A checkpoint without waiting callers is paced: its pages are spread over half of the time, or
 * half of the log bytes, until the next one is due, whichever comes first.
 *
 * <p>Invariant: a stream is trimmed only up to an offset that a finished checkpoint returned.
 * Thread-safe.
 */
public final class Checkpointer {
  private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

  private static final double SPREAD_OVER = 0.5;
  private static final int PAGES_BETWEEN_PAUSES = 64;
  private static final long PAUSE_MILLIS = 20;
  private static final long RETRY_NANOS = 10_000_000_000L;

  private final Collection<? extends LogSource> streams;
  private final PageStore store;
  private final long bytes;
  private final long intervalNanos;
  private final long batches;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicInteger hurrying = new AtomicInteger(); // those who wait for the end

  /** The thread that makes pauses in a checkpoint; null = none. */
  private volatile Thread pausing;

  private volatile long lastNanos = Environment.nanoTime();
  private volatile long failedNanos;
  private volatile String failure;
  private final LongAdder failures = new LongAdder();
  private final LongAdder count = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  /**
   * @param streams that feed the store; a concurrent collection may grow while this is in use
   * @param bytes log bytes of all streams together after which one is made
   * @param interval time after which one is made if anything was written
   */
  public Checkpointer(
      Collection<? extends LogSource> streams, PageStore store, long bytes, Duration interval) {
    this(streams, store, bytes, interval, Long.MAX_VALUE);
  }

  /**
   * @param batches number of batches in memory, of all streams together, after which one is made
   * @see LogSource#batchesInMemory
   */
  public Checkpointer(
      Collection<? extends LogSource> streams,
      PageStore store,
      long bytes,
      Duration interval,
      long batches) {
    this.streams = streams;
    this.store = store;
    this.bytes = bytes;
    this.intervalNanos = interval.toNanos();
    this.batches = batches;
  }

  /** Makes a checkpoint if one is due; a failed one is retried after a while. */
  public void runIfDue() {
    long written = sum(stream -> store.appliedOffset(stream.streamId()) - checkpointed(stream));
    long sinceLast = Environment.nanoTime() - lastNanos;
    boolean due =
        failure == null
            ? written >= bytes
                || (written > 0 && (sinceLast >= intervalNanos || batchesSince() >= batches))
            : Environment.nanoTime() - failedNanos >= RETRY_NANOS;
    if (due) {
      try {
        run(new Spread());
      } catch (GaussException e) {
        LOG.error(
            "checkpoint failed ({}); the log is kept, {} MB by now, and it is tried again",
            e.getMessage(),
            bytesSince() >> 20);
      }
    }
  }

  /** Batches in memory since the last checkpoint. */
  private long batchesSince() {
    return sum(stream -> stream.batchesInMemory(checkpointed(stream)));
  }

  /** Makes a checkpoint now; one that is under way continues without pauses. */
  public void run() {
    hurry();
    try {
      run(CheckpointPace.FULL_SPEED);
    } finally {
      hurrying.decrementAndGet();
    }
  }

  /** From now on no checkpoint is paced. */
  public void hurry() {
    hurrying.incrementAndGet();
    LockSupport.unpark(pausing);
  }

  private void run(CheckpointPace pace) {
    lock.lock();
    try {
      makeOne(pace);
      failure = null;
    } catch (RuntimeException e) {
      failedNanos = Environment.nanoTime();
      failure = e.getMessage() == null ? e.toString() : e.getMessage();
      failures.increment();
      throw e;
    } finally {
      lock.unlock();
    }
  }

  /** Pauses while the fraction of pages done is above those of time, log bytes and batches. */
  private final class Spread implements CheckpointPace {
    private final long start = Environment.nanoTime();
    private final long startOffset = sum(LogSource::durableOffset);
    private final long startBatches = batchesSince();

    @Override
    public void await(int written, int all) {
      if (written % PAGES_BETWEEN_PAUSES != 0) {
        return;
      }
      double done = (double) written / all;
      while (done > due()) {
        if (hurried()) {
          return;
        }
      }
    }

    private double due() {
      double ofTime = (Environment.nanoTime() - start) / (intervalNanos * SPREAD_OVER);
      double ofBytes = (sum(LogSource::durableOffset) - startOffset) / (bytes * SPREAD_OVER);
      double ofBatches = (batchesSince() - startBatches) / (batches * SPREAD_OVER);
      return Math.max(ofTime, Math.max(ofBytes, ofBatches));
    }

    private boolean hurried() {
      pausing = Thread.currentThread();
      try {
        return Environment.await(
                this, TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS), () -> hurrying.get() > 0)
            || Thread.currentThread().isInterrupted(); // shutting down
      } finally {
        pausing = null;
      }
    }
  }

  private void makeOne(CheckpointPace pace) {
    FaultPoints.hit("checkpoint.begin");
    PageStore.CheckpointResult result = store.checkpoint(pace);
    FaultPoints.hit("checkpoint.before-trim");
    for (LogSource stream : streams) {
      Long offset = result.offsets().get(stream.streamId());
      if (offset != null) {
        stream.trim(offset);
      }
    }
    lastNanos = Environment.nanoTime();
    count.increment();
    nanos.add(result.nanos());
    LOG.info(
        "checkpoint at offset {}: {} pages, {} KB in {} ms",
        result.offsets(),
        result.pages(),
        result.bytes() >> 10,
        result.nanos() / 1_000_000);
  }

  /** Why the last checkpoint failed; null when it succeeded. */
  public Problem problem() {
    String why = failure;
    return why == null ? null : new Problem("checkpoints fail, so the log grows", why);
  }

  /** Log bytes written since the last checkpoint, which a restart now would read. */
  public long bytesSince() {
    return sum(stream -> stream.durableOffset() - checkpointed(stream));
  }

  private long checkpointed(LogSource stream) {
    return store.checkpointOffset(stream.streamId());
  }

  private long sum(ToLongFunction<LogSource> bytesOf) {
    long sum = 0;
    for (LogSource stream : streams) {
      sum += bytesOf.applyAsLong(stream);
    }
    return sum;
  }

  public CheckpointStats stats() {
    return new CheckpointStats(count.sum(), failures.sum(), nanos.sum());
  }
}
