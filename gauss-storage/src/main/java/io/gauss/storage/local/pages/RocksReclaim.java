package io.gauss.storage.local.pages;

import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Threads;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the room of deleted ranges back to the disk. RocksDB would do so when compactions come by,
 * which may be never for keys that nobody writes any more.
 *
 * <p>The deleted range is compacted, which moves no pages: its keys are 9 bytes each, and pages lie
 * in blob files. A blob file is deleted with its last page. As a rule a checkpoint puts pages of
 * many spaces into a file, so that some are left in most of them. When the pages that are left are
 * fewer than the deleted ones, they are written anew, into files of their own: that never writes
 * more than it gives back.
 *
 * <p>Thread-safe. Works on a thread of its own, which lives as long as there is something to do.
 */
final class RocksReclaim implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RocksReclaim.class);
  private static final String BYTES = "rocksdb.total-blob-file-size";
  private static final String LIVE = "rocksdb.live-blob-file-size";
  private static final String GARBAGE = "rocksdb.live-blob-file-garbage-size";

  private record Range(byte[] from, byte[] below) {}

  private final RocksDB db;
  private final double ageCutoff;
  private final CompactRangeOptions options =
      new CompactRangeOptions().setExclusiveManualCompaction(false);
  private final CompactRangeOptions whole =
      new CompactRangeOptions()
          .setExclusiveManualCompaction(false)
          .setBottommostLevelCompaction(
              CompactRangeOptions.BottommostLevelCompaction.kForceOptimized);
  private final AtomicLong bytes = new AtomicLong();
  private final Queue<Range> ranges = new ArrayDeque<>(); // guarded by this
  private Thread thread; // guarded by this; null while there is nothing to do
  private boolean closed; // guarded by this

  /**
   * @param ageCutoff part of the blob files from which compactions ordinarily move pages
   */
  RocksReclaim(RocksDB db, double ageCutoff) {
    this.db = db;
    this.ageCutoff = ageCutoff;
  }

  /** A range was deleted. */
  synchronized void add(byte[] from, byte[] below) {
    ranges.add(new Range(from, below));
  }

  /** Begins to give back the room of what was deleted. */
  synchronized void start() {
    if (thread == null && !closed && !ranges.isEmpty()) {
      thread = Environment.start("gauss-pages-reclaim", this::run);
    }
  }

  /** Bytes that were given back. */
  long bytes() {
    return bytes.get();
  }

  /** The next range, or the end of the thread. */
  private synchronized Range next() {
    Range range = closed ? null : ranges.poll();
    if (range == null) {
      thread = null;
    }
    return range;
  }

  private void run() {
    try {
      long before = db.getLongProperty(BYTES);
      for (Range range = next(); range != null; range = next()) {
        compact(range);
        if (isLast() && db.getLongProperty(GARBAGE) * 2 > db.getLongProperty(LIVE)) {
          moveWhatIsLeft();
        }
        long now = db.getLongProperty(BYTES);
        bytes.addAndGet(Math.max(0, before - now));
        before = now;
      }
    } catch (RocksDBException e) {
      failed(e);
    }
  }

  /** Without moving pages: the keys around the range would take theirs along. */
  private void compact(Range range) throws RocksDBException {
    collectFrom(0);
    try {
      db.compactRange(db.getDefaultColumnFamily(), range.from(), range.below(), options);
    } finally {
      collectFrom(ageCutoff);
    }
  }

  private synchronized boolean isLast() {
    return ranges.isEmpty() && !closed;
  }

  private void moveWhatIsLeft() throws RocksDBException {
    collectFrom(1);
    try {
      db.compactRange(db.getDefaultColumnFamily(), null, null, whole);
    } finally {
      collectFrom(ageCutoff);
    }
  }

  private void collectFrom(double part) throws RocksDBException {
    db.setOptions(
        MutableColumnFamilyOptions.builder().setBlobGarbageCollectionAgeCutoff(part).build());
  }

  /** The next deletion tries again; nothing is lost but room. */
  private synchronized void failed(RocksDBException e) {
    thread = null;
    if (!closed) {
      Status status = e.getStatus();
      LOG.warn(
          "the room of deleted pages is not given back now: {}",
          status == null ? e.getMessage() : status.getState(),
          e);
    }
  }

  /** Ends what is being done, and waits for that. Before the database is closed. */
  @Override
  public void close() {
    Thread running;
    synchronized (this) {
      closed = true;
      running = thread;
    }
    options.setCanceled(true);
    whole.setCanceled(true);
    if (running != null) {
      Threads.join(running);
    }
    options.close();
    whole.close();
  }
}
