package io.gauss.compute.sql.exec.spill;

import io.gauss.compute.type.ByteSink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Byte records in the order in which they were added, of which the last ones can be taken back:
 * what a transaction remembers up to its end, and forgets when it rolls back to a savepoint. The
 * last records are in memory up to the budget, those before them in temporary files. Not
 * thread-safe.
 *
 * <p>A temporary file is written from front to back. Records that are taken back stay in their
 * file, behind those that count; the next ones get a new file.
 */
public final class RecordLog {
  private static final int FIRST_BYTES = 256;
  private static final int HEADER_BYTES = 4; // length of the record

  /** Counts the memory that a log takes. */
  @FunctionalInterface
  public interface Meter {
    /**
     * @param before bytes so far
     * @param now bytes from now on
     * @throws io.gauss.common.error.GaussException 53200 when it takes more, and there is no more
     */
    void resize(long before, long now);
  }

  /** Records of one temporary file. */
  private static final class Part {
    final SpillFile file;
    long records;

    /** Nothing can be added to the file any more. */
    boolean isSealed;

    Part(SpillFile file) {
      this.file = file;
    }
  }

  private final WorkMemory memory;
  private final Meter meter;
  private final List<Part> parts = new ArrayList<>(0);
  private final ByteSink record = new ByteSink(64);
  private byte[] tail = new byte[0];
  private int used;
  private long recordsInFiles;
  private long records;

  public RecordLog(WorkMemory memory, Meter meter) {
    this.memory = memory;
    this.meter = meter;
  }

  /** Number of records. */
  public long size() {
    return records;
  }

  /** Bytes of memory. */
  long bytes() {
    return tail.length;
  }

  /**
   * Appends a record. When this fails, the log must be {@linkplain #truncate truncated} to what it
   * was before.
   *
   * @throws RuntimeException as {@link WorkMemory#beforeWait} and {@link Meter#resize}
   */
  public void add(byte[] from, int offset, int length) {
    int needed = HEADER_BYTES + length;
    if (used > 0 && used + needed > memory.workMemoryBytes()) {
      spill();
    }
    if (tail.length - used < needed) {
      int wanted = Math.max(FIRST_BYTES, Math.max(used + needed, 2 * tail.length));
      meter.resize(tail.length, wanted);
      tail = Arrays.copyOf(tail, wanted);
    }
    ByteSink.setIntLe(tail, used, length);
    System.arraycopy(from, offset, tail, used + HEADER_BYTES, length);
    used += needed;
    records++;
  }

  /** Moves the records that are in memory to a file. */
  private void spill() {
    if (parts.isEmpty() || parts.getLast().isSealed) {
      parts.add(new Part(new SpillFile(memory)));
    }
    Part part = parts.getLast();
    long before = part.file.bytes();
    part.isSealed = true; // unless all of it succeeds
    try {
      int at = 0;
      while (at < used) {
        int length = ByteSink.getIntLe(tail, at);
        part.file.add(tail, at + HEADER_BYTES, length);
        at += HEADER_BYTES + length;
      }
      part.isSealed = false;
    } finally {
      if (part.isSealed) {
        part.file.takeBack(before); // the disk may be full, and those before them have to be read
      }
    }
    part.records += records - recordsInFiles;
    recordsInFiles = records;
    used = 0;
  }

  /** Takes back all records but the first ones. */
  public void truncate(long count) {
    while (recordsInFiles > count) {
      Part last = parts.getLast();
      long before = recordsInFiles - last.records;
      used = 0;
      if (before >= count) {
        parts.removeLast();
        recordsInFiles = before;
        last.file.close();
      } else {
        last.records = count - before;
        last.isSealed = true;
        recordsInFiles = count;
      }
    }
    if (records > count) {
      int at = 0;
      for (long i = recordsInFiles; i < count; i++) {
        at += HEADER_BYTES + ByteSink.getIntLe(tail, at);
      }
      used = at;
      records = count;
    }
    if (count == 0) {
      parts.forEach(part -> part.file.close()); // those that have failed to take any
      parts.clear();
      meter.resize(tail.length, 0);
      tail = new byte[0];
    }
  }

  /** Reads the records from the first one on. Nothing is added and taken back meanwhile. */
  public Reader reader() {
    return new Reader();
  }

  /** A position in the log. */
  public final class Reader {
    private int part = -1;
    private long leftInPart;
    private int at;

    private Reader() {}

    /** The next record, valid until the next call; null at the end. */
    public ByteSink next() {
      while (leftInPart == 0 && part + 1 < parts.size()) {
        part++;
        Part next = parts.get(part);
        if (next.records > 0) { // else the disk may have been full for it, and be so still
          next.isSealed = true;
          next.file.rewind();
          leftInPart = next.records;
        }
      }
      record.clear();
      if (leftInPart > 0) {
        leftInPart--;
        if (!parts.get(part).file.read(record)) {
          throw new IllegalStateException("a temporary file lacks records");
        }
        return record;
      }
      if (at == used) {
        return null;
      }
      int length = ByteSink.getIntLe(tail, at);
      record.putBytes(tail, at + HEADER_BYTES, length);
      at += HEADER_BYTES + length;
      return record;
    }
  }
}
