package io.gauss.storage.local.log;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.disk.Disk;
import io.gauss.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the end of a stream at open, distinguishes a torn tail from corruption, and makes the found
 * bytes durable.
 *
 * <p>After a crash, any subset of the sectors written since the last force may be on disk. So there
 * may be zeros, former content of a recycled file, partial frames, and intact frames behind missing
 * ones. None of that was acknowledged, so it is cut off. Acknowledged bytes lie below the durable
 * offset at that time, and every later frame, segment head and control slot carries that offset.
 * So:
 *
 * <ul>
 *   <li>frames are followed from the last known durable point while offsets are contiguous and runs
 *       do not decrease;
 *   <li>where that ends, everything after it is searched for evidence of a higher durable offset
 *       (intact headers of this run or a later one, heads of later segments, the control file);
 *   <li>evidence above the end means that acknowledged bytes are unreadable: XX001 with file and
 *       position;
 *   <li>otherwise the tail is torn and is cut off: the end is here. Heads of later segments are
 *       wiped. Frames behind the end stay in the file but belong to an earlier run than any frame
 *       written from now on.
 * </ul>
 *
 * <p>Not detected: damage to the very last group of appends when the stream was not closed in
 * order, since it looks like a torn append. Damage in segments before the last known durable point
 * is found when they are read.
 *
 * <p>The bytes between the last known durable point and the end were written, but perhaps never
 * forced (or a force failed and the system dropped its dirty mark). They are written again and
 * forced before they count as durable.
 */
final class LogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

  private final Disk disk;
  private final int stream;
  private final LogSettings settings;
  private final LogControl control;
  private final FrameScanner scanner;
  private final Map<Long, DiskFile> files = new TreeMap<>();
  private final TreeMap<Long, ByteBuffer> heads = new TreeMap<>();

  final List<LogSegment> segments = new ArrayList<>();
  final List<LogSegment> leftovers = new ArrayList<>();
  final Map<Long, SegmentPreparer.Prepared> prepared = new HashMap<>();
  long nextSequence = 1;
  long position;
  long end;
  long lastLsn;
  int epoch;
  private int run;
  private long scannedFrom; // sequence number of the first segment that was scanned
  private long rewriteSequence;
  private long rewritePosition;

  private LogRecovery(Disk disk, int stream, LogSettings settings, LogControl control) {
    this.disk = disk;
    this.stream = stream;
    this.settings = settings;
    this.control = control;
    this.scanner = new FrameScanner(stream);
  }

  /** Leaves the stream ready for a writer in a new run. On failure all files are closed again. */
  static LogRecovery run(Disk disk, int stream, LogSettings settings, LogControl control)
      throws IOException {
    LogRecovery recovery = new LogRecovery(disk, stream, settings, control);
    try {
      recovery.findEnd();
      return recovery;
    } catch (IOException | RuntimeException e) {
      for (DiskFile file : recovery.files.values()) {
        file.close();
      }
      throw e;
    }
  }

  private void findEnd() throws IOException {
    openFiles();
    long known = control.durable();
    for (ByteBuffer head : heads.values()) {
      known = Math.max(known, head.getLong(LogSegmentLayout.DURABLE));
    }
    Long start = null;
    for (Map.Entry<Long, ByteBuffer> head : heads.entrySet()) {
      if (head.getValue().getLong(LogSegmentLayout.BASE) <= known) {
        start = head.getKey();
      }
    }
    if (!heads.isEmpty() && control.isFresh()) {
      throw corrupted(control.path(), 0, "no valid slot, though there are log segments");
    }
    epoch = control.epoch();
    long last = -1;
    if (start != null) {
      collectUpTo(start);
      last = follow(start, known);
    }
    long evidence = Math.max(known, searchEvidence(last));
    if (evidence > end) {
      String file = last < 0 ? disk.path(LogSegmentLayout.fileName(1)) : files.get(last).path();
      throw corrupted(
          file,
          position,
          "the log of stream "
              + stream
              + " was durable up to offset "
              + evidence
              + " but cannot be read beyond offset "
              + end);
    }
    cut(last);
    if (last >= 0) {
      makeDurable(last);
    }
    control.store(control.run() + 1, epoch, end, false);
    scanner.close();
  }

  private void openFiles() throws IOException {
    for (String name : disk.list()) {
      if (name.equals(SegmentPreparer.TEMPORARY)) {
        disk.delete(name);
        continue;
      }
      long sequence = LogSegmentLayout.sequenceOf(name);
      if (sequence >= 0) {
        DiskFile file = disk.open(name);
        files.put(sequence, file);
        ByteBuffer head =
            ByteBuffer.allocateDirect(LogSegmentLayout.HEAD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.read(head, 0);
        if (!head.hasRemaining() && LogSegmentLayout.isValid(head, 0, stream, sequence)) {
          heads.put(sequence, head);
        }
      }
    }
  }

  /**
   * Takes the segments below the one where scanning starts: they are wholly durable, and are
   * checked only when they are read.
   */
  private void collectUpTo(long start) {
    List<LogSegment> below = new ArrayList<>();
    boolean joined = true;
    for (long sequence : List.copyOf(files.keySet()).reversed()) {
      if (sequence >= start) {
        continue;
      }
      joined &= files.containsKey(sequence + 1);
      if (!heads.containsKey(sequence)) {
        if (joined) {
          throw corrupted(files.get(sequence).path(), 0, "the head of the log segment is damaged");
        }
        continue;
      }
      // Files below a gap were trimmed; the crash came before they were recycled.
      (joined ? below : leftovers).add(segment(sequence));
    }
    segments.addAll(below.reversed());
    java.util.Collections.reverse(leftovers);
  }

  private LogSegment segment(long sequence) {
    ByteBuffer head = heads.get(sequence);
    return new LogSegment(
        LogSegmentLayout.fileName(sequence),
        sequence,
        head.getLong(LogSegmentLayout.BASE),
        head.getLong(LogSegmentLayout.PREVIOUS_LSN),
        head.getInt(LogSegmentLayout.RUN),
        files.get(sequence));
  }

  /**
   * Follows frames from a segment's start and returns the sequence number of the segment in which
   * they end.
   */
  private long follow(long start, long known) throws IOException {
    scannedFrom = start;
    rewriteSequence = start;
    rewritePosition = 0;
    long sequence = start;
    enter(sequence);
    end = heads.get(start).getLong(LogSegmentLayout.BASE);
    lastLsn = heads.get(start).getLong(LogSegmentLayout.PREVIOUS_LSN);
    run = heads.get(start).getInt(LogSegmentLayout.RUN);
    while (true) {
      if (scanner.read(position, end, run, Long.MAX_VALUE)) {
        run = scanner.run();
        if (run > control.run()) {
          throw corrupted(control.path(), 0, "a newer slot is damaged");
        }
        epoch = Math.max(epoch, scanner.epoch());
        lastLsn = scanner.lastLsn();
        end += scanner.length();
        position += LogBatchLayout.frameBytes(scanner.length());
        if (end <= known) {
          rewriteSequence = sequence;
          rewritePosition = position;
        }
        continue;
      }
      ByteBuffer next = heads.get(sequence + 1);
      if (next == null
          || next.getLong(LogSegmentLayout.BASE) != end
          || next.getInt(LogSegmentLayout.RUN) < run) {
        return sequence;
      }
      run = next.getInt(LogSegmentLayout.RUN);
      sequence++;
      enter(sequence);
    }
  }

  private void enter(long sequence) throws IOException {
    segments.add(segment(sequence));
    scanner.useFile(files.get(sequence), false);
    position = LogSegmentLayout.FRAMES;
  }

  private long searchEvidence(long last) throws IOException {
    if (control.isFresh() || (control.isClean() && control.durable() == end)) {
      return 0;
    }
    long highest = 0;
    for (Map.Entry<Long, DiskFile> file : files.entrySet()) {
      if (file.getKey() >= last) {
        scanner.useFile(file.getValue(), false);
        long from = file.getKey() == last ? position : LogSegmentLayout.FRAMES;
        highest = Math.max(highest, scanner.durableEvidence(from, end, run));
      }
    }
    return highest;
  }

  /** Wipes the heads of segments behind the end and determines which segments are prepared. */
  private void cut(long last) throws IOException {
    boolean joined = true;
    nextSequence = last < 0 ? 1 : last + 1;
    long expected = nextSequence;
    for (Map.Entry<Long, DiskFile> entry : files.entrySet()) {
      long sequence = entry.getKey();
      DiskFile file = entry.getValue();
      if (sequence <= last) {
        continue;
      }
      joined &= sequence == expected++;
      if (!joined || file.size() != settings.segmentBytes()) {
        joined = false;
        file.close();
        disk.delete(LogSegmentLayout.fileName(sequence));
        continue;
      }
      if (heads.containsKey(sequence)) {
        LOG.info("stream {}: {} lies behind the torn tail and is cut", stream, file.path());
        file.write(ByteBuffer.allocate(LogSegmentLayout.HEAD_BYTES), 0);
        file.force(true);
      }
      prepared.put(
          sequence,
          new SegmentPreparer.Prepared(LogSegmentLayout.fileName(sequence), sequence, file));
    }
    disk.forceDirectory();
  }

  private void makeDurable(long last) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
    for (long sequence = Math.max(scannedFrom, rewriteSequence); sequence <= last; sequence++) {
      DiskFile file = files.get(sequence);
      long from = sequence == rewriteSequence ? rewritePosition : 0;
      long to = sequence == last ? position : file.size();
      while (from < to) {
        buffer.clear().limit((int) Math.min(buffer.capacity(), to - from));
        int read = file.read(buffer, from);
        buffer.flip();
        file.write(buffer, from);
        from += read;
      }
      file.force(true);
    }
  }

  private GaussException corrupted(String file, long at, String what) {
    return new GaussException(
        SqlState.DATA_CORRUPTED, "log corrupted: file " + file + ", position " + at + ": " + what);
  }
}
