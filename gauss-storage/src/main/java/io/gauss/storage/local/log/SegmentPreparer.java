package io.gauss.storage.local.log;

import io.gauss.common.task.Threads;
import io.gauss.storage.disk.Disk;
import io.gauss.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the next segment files ready, so that the writer neither waits for files to be zeroed nor
 * makes the file system allocate blocks during a force.
 *
 * <p>A dedicated platform thread takes a trimmed segment and renames it, or writes a new file full
 * of zeros under a temporary name, forces it, renames it and forces the directory: a file under a
 * segment's name is always complete. A file made by this class is ready only after the directory
 * was forced; a recycled one keeps its old content, whose head names another sequence number.
 *
 * <p>Thread-safe.
 */
final class SegmentPreparer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentPreparer.class);
  static final String TEMPORARY = "prepare.tmp";
  private static final int ZERO_BYTES = 1 << 20;

  /** A prepared file, not in use yet. */
  record Prepared(String name, long sequence, DiskFile file) {}

  private final Disk disk;
  private final int segmentBytes;
  private final int ahead;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Long, Prepared> ready = new HashMap<>();
  private final ArrayDeque<LogSegment> recyclable = new ArrayDeque<>();
  private final Thread thread;
  private long nextToUse;
  private long nextToPrepare;
  private IOException failure;
  private boolean closed;

  /**
   * @param nextToUse sequence number that the writer takes next
   * @param ready files that are prepared already, with consecutive numbers from {@code nextToUse}
   *     on
   */
  SegmentPreparer(
      Disk disk, int stream, LogSettings settings, long nextToUse, Map<Long, Prepared> ready) {
    this.disk = disk;
    this.segmentBytes = settings.segmentBytes();
    this.ahead = settings.preparedSegments();
    this.nextToUse = nextToUse;
    this.ready.putAll(ready);
    this.nextToPrepare = nextToUse + ready.size();
    this.thread =
        Thread.ofPlatform().daemon().name("gauss-log-prepare-" + stream).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /**
   * The next prepared file; waits for it when it is not ready yet.
   *
   * @throws io.gauss.storage.disk.DiskFullException when there is no room for it; may be called
   *     again
   */
  Prepared take() throws IOException {
    lock.lock();
    try {
      // A failure of an earlier attempt says nothing about this one.
      failure = null;
      changed.signalAll();
      while (true) {
        Prepared next = ready.remove(nextToUse);
        if (next != null) {
          nextToUse++;
          changed.signalAll();
          return next;
        }
        if (failure != null) {
          throw failure;
        }
        if (closed) {
          throw new IOException("the log stream is closed");
        }
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Why the last segment could not be prepared; null when the last attempt did not fail. */
  IOException failure() {
    lock.lock();
    try {
      return failure;
    } finally {
      lock.unlock();
    }
  }

  /** Takes over trimmed segments without readers, lowest first. */
  void recycle(LogSegment segment) {
    lock.lock();
    try {
      recyclable.add(segment);
      failure = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (true) {
      LogSegment old;
      long sequence;
      boolean wanted;
      lock.lock();
      try {
        while (!closed && (failure != null || (!wantsMore() && recyclable.isEmpty()))) {
          changed.awaitUninterruptibly();
        }
        if (closed) {
          return;
        }
        wanted = wantsMore();
        old = recyclable.poll();
        sequence = nextToPrepare;
      } finally {
        lock.unlock();
      }
      Prepared made = null;
      IOException failed = null;
      try {
        if (!wanted) {
          discard(old);
        } else if (old != null && old.file().size() == segmentBytes) {
          made = rename(old, sequence);
        } else {
          if (old != null) {
            discard(old);
          }
          made = zeroed(sequence);
        }
      } catch (IOException e) {
        LOG.warn("cannot prepare log segment {}: {}", sequence, e.toString());
        failed = e;
      }
      lock.lock();
      try {
        if (made != null) {
          ready.put(made.sequence(), made);
          nextToPrepare = made.sequence() + 1;
        } else if (failed != null) {
          failure = failed;
          if (old != null) {
            recyclable.addFirst(old);
          }
        }
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean wantsMore() {
    return nextToPrepare < nextToUse + ahead;
  }

  private void discard(LogSegment old) throws IOException {
    old.file().close();
    disk.delete(old.name());
    disk.forceDirectory();
  }

  private Prepared rename(LogSegment old, long sequence) throws IOException {
    String name = LogSegmentLayout.fileName(sequence);
    disk.rename(old.name(), name);
    disk.forceDirectory();
    return new Prepared(name, sequence, old.file());
  }

  private Prepared zeroed(long sequence) throws IOException {
    if (disk.list().contains(TEMPORARY)) {
      disk.delete(TEMPORARY);
    }
    DiskFile file = disk.create(TEMPORARY);
    try {
      ByteBuffer zeros = ByteBuffer.allocateDirect(ZERO_BYTES);
      for (long at = 0; at < segmentBytes; at += zeros.capacity()) {
        zeros.clear().limit((int) Math.min(zeros.capacity(), segmentBytes - at));
        file.write(zeros, at);
      }
      file.force(true);
      String name = LogSegmentLayout.fileName(sequence);
      disk.rename(TEMPORARY, name);
      disk.forceDirectory();
      return new Prepared(name, sequence, file);
    } catch (IOException e) {
      file.close();
      if (disk.list().contains(TEMPORARY)) {
        disk.delete(TEMPORARY);
      }
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    Threads.join(thread);
    for (Prepared prepared : ready.values()) {
      prepared.file().close();
    }
    for (LogSegment segment : recyclable) {
      deleteTrimmed(segment);
    }
  }

  /** Deletes what was trimmed before the close, so that the next start does not find it again. */
  private void deleteTrimmed(LogSegment segment) throws IOException {
    if (failure != null) {
      segment.file().close();
      return;
    }
    try {
      discard(segment);
    } catch (IOException e) {
      LOG.info(
          "trimmed log segment {} stays until the next start: {}", segment.name(), e.toString());
    }
  }
}
