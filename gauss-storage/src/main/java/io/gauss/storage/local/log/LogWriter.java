package io.gauss.storage.local.log;

import io.gauss.common.runtime.Environment;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.disk.DiskFile;
import io.gauss.storage.disk.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Writes batches to segment files: frames are collected in a staging buffer, written with one call
 * and forced with one force for a whole group.
 *
 * <p>Only whole blocks are written. The last one is filled with zeros and written again together
 * with the next bytes. A write of part of a block would make the system first read the rest of it
 * if it has dropped the file's pages from its cache, and every commit would wait for that.
 *
 * <p>Used by the holder of the stream's writing role, one thread at a time; handing the role over
 * orders memory accesses.
 *
 * <p>Invariant: bytes before {@code position} in the current segment are whole frames whose
 * requests are written. After a write that failed because the disk was full, frames of this run may
 * lie behind {@code position}. The next write therefore starts a new run first, so that those
 * frames can never be taken for part of the stream.
 */
final class LogWriter {
  private static final int STAGING_BYTES = 1 << 20;

  /** The page cache's unit. */
  private static final int BLOCK_BYTES = 4096;

  private static final byte[] ZEROS = new byte[BLOCK_BYTES];

  private final int stream;
  private final LogSettings settings;
  private final LogControl control;
  private final SegmentPreparer preparer;
  private final Consumer<LogSegment> segmentBegun;
  private final CRC32C crc = new CRC32C();

  /**
   * A block for the bytes in the file before the staged frames, the staged frames, and a block of
   * zeros.
   */
  private final ByteBuffer buffer;

  private final ByteBuffer staging; // the middle of the buffer

  /** The bytes before {@code position} in its block. */
  private final byte[] tail = new byte[BLOCK_BYTES];

  private final List<AppendRequest> staged = new ArrayList<>();
  private final List<DiskFile> unforced = new ArrayList<>();

  private LogSegment segment; // null before the first append of a fresh stream
  private long segmentSize;
  private long position;
  private long end; // offset after the last request that is written
  private long lastLsn;
  private boolean dirtyRun;
  private SegmentPreparer.Prepared prepared; // in use, but its head could not be written yet

  private volatile long durable;
  private volatile long durableLsn;
  private final LongAdder appends = new LongAdder();
  private final LongAdder appendedBytes = new LongAdder();
  private final LongAdder forces = new LongAdder();
  private final LongAdder forceNanos = new LongAdder();
  private final LongAdder rollovers = new LongAdder();
  private final LongAdder rolloverWaitNanos = new LongAdder();

  /**
   * The end of a log when it is opened.
   *
   * @param segment the last one; null when there is none
   * @param position in that segment
   * @param offset of the stream
   * @param lastLsn of the last record
   */
  record End(LogSegment segment, long position, long offset, long lastLsn) {}

  LogWriter(
      int stream,
      LogSettings settings,
      LogControl control,
      SegmentPreparer preparer,
      Consumer<LogSegment> segmentBegun,
      End found)
      throws IOException {
    this.stream = stream;
    this.settings = settings;
    this.control = control;
    this.preparer = preparer;
    this.segmentBegun = segmentBegun;
    this.segment = found.segment();
    this.segmentSize = segment == null ? 0 : segment.file().size();
    this.position = found.position();
    this.end = found.offset();
    this.durable = end;
    this.lastLsn = found.lastLsn();
    this.durableLsn = lastLsn;
    int stagingBytes = Math.min(STAGING_BYTES, settings.segmentBytes());
    this.buffer = ByteBuffer.allocateDirect(BLOCK_BYTES + stagingBytes + BLOCK_BYTES);
    this.staging = buffer.slice(BLOCK_BYTES, stagingBytes).order(ByteOrder.LITTLE_ENDIAN);
    if (segment != null) {
      ByteBuffer block = ByteBuffer.wrap(tail, 0, (int) (position % BLOCK_BYTES));
      segment.file().read(block, position - block.remaining());
    }
  }

  /**
   * Writes and forces the requests that need writing and sets their results.
   *
   * @return DiskFull when there was no room for some of them, otherwise null
   * @throws IOException when the state on disk is no longer known
   */
  AppendResult write(List<AppendRequest> group) throws IOException {
    AppendResult full = null;
    long bytes = 0;
    int count = 0;
    try {
      for (AppendRequest request : group) {
        if (request.mustBeWritten()) {
          if (dirtyRun) {
            control.store(control.run() + 1, control.epoch(), durable, false);
            dirtyRun = false;
          }
          stage(request);
          bytes += request.length;
          count++;
        }
      }
      flush();
    } catch (DiskFullException e) {
      full = new AppendResult.DiskFull(e.file());
      dirtyRun = true;
      staged.clear();
      staging.clear();
    }
    force();
    durable = end;
    durableLsn = lastLsn;
    for (AppendRequest request : group) {
      if (request.mustBeWritten()) {
        request.result = request.end() <= end ? new AppendResult.Appended(request.end()) : full;
      }
    }
    appends.add(count);
    appendedBytes.add(bytes);
    return full;
  }

  private void stage(AppendRequest request) throws IOException {
    long frameBytes = LogBatchLayout.frameBytes(request.length);
    if (segment == null || position + staging.position() + frameBytes > segmentSize) {
      flush();
      beginSegment(request.epoch);
    }
    if (frameBytes > staging.remaining()) {
      flush();
    }
    int at = staging.position();
    LogBatchLayout.encodeHeader(
        staging,
        at,
        stream,
        request.epoch,
        control.run(),
        request.offset,
        durable,
        request.firstLsn,
        request.lastLsn,
        request.bytes,
        crc);
    staging.position(at + LogBatchLayout.HEADER_BYTES);
    ByteBuffer payload = request.bytes.duplicate();
    long behind = position;
    while (payload.remaining() > staging.remaining()) {
      // Larger than the staging buffer: the frame counts as written only with its last piece. Each
      // piece but the last ends with a block, so that the next one begins with one.
      int room = staging.remaining();
      int over = (int) ((behind + staging.position() + room) % BLOCK_BYTES);
      int limit = payload.limit();
      payload.limit(payload.position() + room - over);
      staging.put(payload);
      payload.limit(limit);
      writeStaged(behind);
      behind += staging.position();
      staging.clear();
    }
    staging.put(payload);
    while (staging.position() % LogBatchLayout.ALIGNMENT != 0) {
      staging.put((byte) 0);
    }
    staged.add(request);
    if (behind != position) {
      writeStaged(behind);
      written(position + frameBytes);
    }
  }

  /** Writes the staged bytes, in whole blocks. */
  private void writeStaged(long at) throws IOException {
    int before = (int) (at % BLOCK_BYTES);
    int end = BLOCK_BYTES + staging.position();
    long fileEnd = at + staging.position();
    int over = (int) (fileEnd % BLOCK_BYTES);
    int behind = over == 0 ? 0 : (int) Math.min(BLOCK_BYTES - over, segmentSize - fileEnd);
    buffer.put(BLOCK_BYTES - before, tail, 0, before);
    buffer.put(end, ZEROS, 0, behind);
    buffer.limit(end + behind).position(BLOCK_BYTES - before);
    try {
      segment.file().write(buffer, at - before);
    } finally {
      buffer.clear();
    }
  }

  /** Writes the staged frames, after which their requests count as written. */
  private void flush() throws IOException {
    if (staging.position() > 0) {
      writeStaged(position);
      written(position + staging.position());
    }
  }

  private void written(long newPosition) {
    int inBlock = (int) (newPosition % BLOCK_BYTES);
    buffer.get(BLOCK_BYTES + staging.position() - inBlock, tail, 0, inBlock);
    position = newPosition;
    AppendRequest last = staged.getLast();
    end = last.end();
    lastLsn = last.lastLsn;
    staged.clear();
    staging.clear();
  }

  private void beginSegment(int epoch) throws IOException {
    long start = Environment.nanoTime();
    if (prepared == null) {
      prepared = preparer.take();
    }
    rolloverWaitNanos.add(Environment.nanoTime() - start);
    ByteBuffer head =
        ByteBuffer.allocateDirect(LogSegmentLayout.HEAD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    LogSegmentLayout.encode(
        head, 0, stream, prepared.sequence(), end, lastLsn, durable, control.run(), epoch);
    LogSegment next =
        new LogSegment(
            prepared.name(), prepared.sequence(), end, lastLsn, control.run(), prepared.file());
    next.file().write(head, 0);
    prepared = null;
    if (end != durable) {
      unforced.add(segment.file());
    }
    segment = next;
    segmentSize = next.file().size();
    position = LogSegmentLayout.FRAMES;
    rollovers.increment();
    segmentBegun.accept(next);
  }

  private void force() throws IOException {
    if (end == durable) {
      return;
    }
    long start = Environment.nanoTime();
    for (DiskFile file : unforced) {
      file.force(false);
    }
    int count = unforced.size() + 1;
    unforced.clear();
    segment.file().force(false);
    long nanos = Environment.nanoTime() - start;
    forces.add(count);
    forceNanos.add(nanos);
    settings.forceNanos().accept(nanos);
  }

  /** Raises the fencing epoch durably. */
  void seal(int epoch) throws IOException {
    control.store(control.run(), epoch, durable, false);
  }

  /** Records that the stream ends here, so that the next open need not search further. */
  void closeCleanly() throws IOException {
    control.store(control.run(), control.epoch(), durable, true);
  }

  /** Closes a file that was taken and never used. */
  void close() throws IOException {
    if (prepared != null) {
      prepared.file().close();
    }
  }

  /** Offset after the last byte written; for the holder of the writing role. */
  long end() {
    return end;
  }

  long durable() {
    return durable;
  }

  long durableLsn() {
    return durableLsn;
  }

  LogStreamStats stats(int queued, int segments) {
    return new LogStreamStats(
        appends.sum(),
        appendedBytes.sum(),
        forces.sum(),
        forceNanos.sum(),
        rollovers.sum(),
        rolloverWaitNanos.sum(),
        queued,
        segments);
  }
}
