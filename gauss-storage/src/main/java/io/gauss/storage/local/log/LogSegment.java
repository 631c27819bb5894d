package io.gauss.storage.local.log;

import io.gauss.common.invariant.Invariant;
import io.gauss.storage.disk.DiskFile;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A segment file in use. The stream holds one reference until the segment is trimmed, and each
 * reader holds one while it reads in it. The file is recycled when the last reference is released.
 * Thread-safe.
 */
final class LogSegment {
  private final String name;
  private final long sequence;
  private final long base;
  private final long previousLsn;
  private final int run;
  private final DiskFile file;
  private final AtomicInteger references = new AtomicInteger(1);

  LogSegment(String name, long sequence, long base, long previousLsn, int run, DiskFile file) {
    this.name = name;
    this.sequence = sequence;
    this.base = base;
    this.previousLsn = previousLsn;
    this.run = run;
    this.file = file;
  }

  String name() {
    return name;
  }

  long sequence() {
    return sequence;
  }

  /** Stream offset of the first payload byte. */
  long base() {
    return base;
  }

  /** LSN of the last record before this segment. */
  long previousLsn() {
    return previousLsn;
  }

  /** Run in the head: frames in the file have this run or a later one. */
  int run() {
    return run;
  }

  DiskFile file() {
    return file;
  }

  /** Takes a reference; false when the segment is being recycled. */
  boolean retain() {
    int now = references.get();
    while (now > 0) {
      if (references.compareAndSet(now, now + 1)) {
        return true;
      }
      now = references.get();
    }
    return false;
  }

  /** Releases a reference; true when it was the last one and the caller has to recycle the file. */
  boolean release() {
    int now = references.decrementAndGet();
    Invariant.check(now >= 0, "a log segment was given back twice");
    return now == 0;
  }
}
