package io.gauss.storage.local.log;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.id.Lsn;
import io.gauss.common.runtime.ArrivalSet;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Threads;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.disk.Disk;
import io.gauss.storage.disk.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log stream in segment files of one directory, for a single process.
 *
 * <p>Threads: an append is admitted on its caller's thread (offset, epoch) and then queued. At any
 * time one thread has the <em>writing role</em>: the writer thread, which takes everything queued,
 * writes it and forces once; or, with {@link LogSettings#directAppend}, the caller of an append
 * that finds the queue empty and the role free; or a caller of {@link #seal}. The holder of the
 * role calls the callbacks, in the order of admission, before it gives the role back. A second
 * platform thread prepares segments ({@link SegmentPreparer}); each tail has its own.
 *
 * <p>Latch order: {@code lock} (queue, role, admitted end), then nothing; callbacks and I/O run
 * outside it.
 *
 * <p>Invariants: bytes at an offset never change; nothing is acknowledged before a force that
 * covers it; results come in the order of appends. After a failed force nothing is accepted until
 * the stream is opened again, since the system may have dropped bytes that it could not write. Not
 * guaranteed: when the disk is full, appends that were queued behind the failed one have no effect,
 * and also get the result DiskFull.
 *
 * <p>Threads that append, seal or close must not be interrupted: an interrupt closes the file under
 * the writer, which counts as a failure.
 */
public final class LocalLogStream implements LogStream {
  private static final Logger LOG = LoggerFactory.getLogger(LocalLogStream.class);

  private final Disk disk;
  private final int streamId;
  private final LogSettings settings;
  private final LogControl control;
  private final SegmentPreparer preparer;
  private final LogWriter writer;
  private final Thread thread;

  /** Segments that can be read, by base offset. */
  private final ConcurrentSkipListMap<Long, LogSegment> segments = new ConcurrentSkipListMap<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition idle = lock.newCondition();
  private final ArrayDeque<AppendRequest> queue = new ArrayDeque<>();
  private boolean writing;
  private boolean closed;
  private int epoch;
  private volatile long admittedEnd;
  private volatile Throwable failure;

  private final Object durableMonitor = new Object();
  private volatile int durableWaiters;
  private final Set<LogTail> tails = new ArrivalSet<>();

  /** Opens or creates the stream in a directory of its own. */
  public static LocalLogStream open(Path directory, int streamId, LogSettings settings) {
    try {
      return open(FileDisk.open(directory), streamId, settings);
    } catch (IOException e) {
      throw ioError("cannot open log directory " + directory, e);
    }
  }

  /**
   * Opens or creates the stream on a disk, which is closed with the stream.
   *
   * @throws GaussException XX001 when acknowledged bytes cannot be read, see {@link LogRecovery};
   *     IO_ERROR
   */
  public static LocalLogStream open(Disk disk, int streamId, LogSettings settings) {
    try {
      LogControl control = LogControl.open(disk, streamId);
      try {
        LogRecovery recovery = LogRecovery.run(disk, streamId, settings, control);
        LocalLogStream stream = new LocalLogStream(disk, streamId, settings, control, recovery);
        stream.preparer.start();
        stream.thread.start();
        return stream;
      } catch (IOException | RuntimeException e) {
        control.close();
        throw e;
      }
    } catch (IOException e) {
      closeAfter(disk, e);
      throw ioError("cannot open the log of stream " + streamId, e);
    } catch (RuntimeException e) {
      closeAfter(disk, e);
      throw e;
    }
  }

  private static void closeAfter(Disk disk, Exception cause) {
    try {
      disk.close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  private static GaussException ioError(String what, Throwable e) {
    return new GaussException(SqlState.IO_ERROR, what + ": " + e, e);
  }

  private LocalLogStream(
      Disk disk, int streamId, LogSettings settings, LogControl control, LogRecovery recovery)
      throws IOException {
    this.disk = disk;
    this.streamId = streamId;
    this.settings = settings;
    this.control = control;
    this.epoch = recovery.epoch;
    this.admittedEnd = recovery.end;
    for (LogSegment segment : recovery.segments) {
      segments.put(segment.base(), segment);
    }
    this.preparer =
        new SegmentPreparer(disk, streamId, settings, recovery.nextSequence, recovery.prepared);
    recovery.leftovers.forEach(preparer::recycle);
    this.writer =
        new LogWriter(
            streamId,
            settings,
            control,
            preparer,
            segment -> segments.put(segment.base(), segment),
            new LogWriter.End(
                recovery.segments.isEmpty() ? null : recovery.segments.getLast(),
                recovery.position,
                recovery.end,
                recovery.lastLsn));
    this.thread = Environment.thread("gauss-log-write-" + streamId, this::run);
    LOG.info(
        "stream {} opened at {}: offsets {} to {}, last LSN {}, run {}",
        streamId,
        disk.path(""),
        startOffset(),
        recovery.end,
        recovery.lastLsn,
        control.run());
  }

  @Override
  public int streamId() {
    return streamId;
  }

  @Override
  public long endOffset() {
    return admittedEnd;
  }

  @Override
  public long durableOffset() {
    return writer.durable();
  }

  @Override
  public long lastLsn() {
    return writer.durableLsn();
  }

  @Override
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    Throwable failed = failure;
    if (failed != null) {
      problems.add(new Problem("the log of stream " + streamId + " has failed", failed.toString()));
    }
    IOException unprepared = preparer.failure();
    if (unprepared != null) {
      problems.add(new Problem("log segments cannot be prepared", unprepared.toString()));
    }
    return problems;
  }

  public LogStreamStats stats() {
    lock.lock();
    try {
      return writer.stats(queue.size(), segments.size());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void append(
      int appendEpoch,
      long offset,
      long firstLsn,
      long lastLsn,
      ByteBuffer bytes,
      AppendCallback callback) {
    if (!bytes.hasRemaining() || bytes.remaining() > settings.maxBatchBytes()) {
      throw new IllegalArgumentException(
          "a batch of " + bytes.remaining() + " bytes; at most " + settings.maxBatchBytes());
    }
    AppendRequest request =
        new AppendRequest(appendEpoch, offset, firstLsn, lastLsn, bytes, callback);
    boolean lead;
    lock.lock();
    try {
      admit(request);
      lead = !writing && queue.isEmpty() && (settings.directAppend() || closed);
      if (lead) {
        writing = true;
      } else {
        queue.add(request);
        if (!writing) {
          work.signal();
        }
      }
    } finally {
      lock.unlock();
    }
    if (lead) {
      process(List.of(request));
      handBack();
    }
  }

  /** Decides how an append is handled, under the lock. */
  private void admit(AppendRequest request) {
    if (closed) {
      request.result =
          new AppendResult.Failed(new IllegalStateException("the log stream is closed"));
    } else if (failure != null) {
      request.result = new AppendResult.Failed(failure);
    } else if (request.epoch < epoch) {
      request.result = new AppendResult.Fenced(epoch);
    } else if (request.end() <= admittedEnd) {
      request.repeat = true;
    } else if (request.offset != admittedEnd) {
      request.result = new AppendResult.WrongOffset(admittedEnd);
    } else {
      epoch = request.epoch;
      admittedEnd = request.end();
    }
  }

  private void run() {
    List<AppendRequest> group = new ArrayList<>();
    while (true) {
      lock.lock();
      try {
        while (writing || (queue.isEmpty() && !closed)) {
          work.awaitUninterruptibly();
        }
        if (queue.isEmpty()) {
          return;
        }
        group.addAll(queue);
        queue.clear();
        writing = true;
      } finally {
        lock.unlock();
      }
      process(group);
      group.clear();
      handBack();
    }
  }

  /** Writes, forces and answers a group; for the holder of the writing role. */
  private void process(List<AppendRequest> group) {
    long durableBefore = writer.durable();
    AppendResult full = null;
    try {
      if (failure == null) {
        full = writer.write(group);
      }
    } catch (IOException | RuntimeException e) {
      LOG.error("the log of stream {} failed at offset {}", streamId, durableBefore, e);
      fail(e);
    }
    if (full != null) {
      withdraw(full);
    }
    for (AppendRequest request : group) {
      answer(request);
    }
    if (writer.durable() != durableBefore && durableWaiters > 0) {
      wakeTails();
    }
  }

  /**
   * After a full disk: appends that were admitted behind the failed one no longer have a valid
   * offset.
   */
  private void withdraw(AppendResult full) {
    lock.lock();
    try {
      admittedEnd = writer.end();
      for (AppendRequest queued : queue) {
        if (queued.mustBeWritten()) {
          queued.result = full;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void fail(Exception e) {
    lock.lock();
    try {
      failure = e;
    } finally {
      lock.unlock();
    }
  }

  private void answer(AppendRequest request) {
    AppendResult result = request.result;
    if (result == null) {
      // A repeat, or an append that was admitted before the stream failed.
      if (request.repeat && request.end() <= writer.durable()) {
        result = new AppendResult.Appended(request.end());
      } else if (failure != null) {
        result = new AppendResult.Failed(failure);
      } else {
        result = new AppendResult.WrongOffset(writer.end());
      }
    }
    try {
      request.callback.done(result);
    } catch (RuntimeException e) {
      LOG.error("a callback of stream {} failed", streamId, e);
    }
  }

  private void handBack() {
    lock.lock();
    try {
      writing = false;
      if (!queue.isEmpty() || closed) {
        work.signal();
      }
      idle.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Takes the writing role once everything queued is answered. */
  private void takeRole() {
    while (writing || !queue.isEmpty()) {
      idle.awaitUninterruptibly();
    }
    writing = true;
  }

  @Override
  public long seal(int newEpoch) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the log stream is closed");
      }
      if (newEpoch < epoch) {
        throw new GaussException(
            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
            "stream " + streamId + " has epoch " + epoch + " and cannot be sealed by " + newEpoch);
      }
      epoch = newEpoch;
      takeRole();
    } finally {
      lock.unlock();
    }
    try {
      if (failure != null) {
        throw ioError("stream " + streamId + " has failed and must be opened again", failure);
      }
      writer.seal(newEpoch);
      return writer.end();
    } catch (IOException e) {
      throw ioError("cannot seal stream " + streamId, e);
    } finally {
      handBack();
    }
  }

  @Override
  public LogReader read(long fromOffset) {
    return reader(fromOffset);
  }

  private SegmentReader reader(long fromOffset) {
    if (fromOffset < startOffset()) {
      throw trimmed(fromOffset);
    }
    if (fromOffset > admittedEnd) {
      throw new IllegalArgumentException(
          "offset " + fromOffset + " is behind the end " + admittedEnd);
    }
    return new SegmentReader(this, fromOffset);
  }

  @Override
  public AutoCloseable tail(long fromOffset, TailListener listener) {
    LogTail tail = new LogTail(this, reader(fromOffset), listener);
    tails.add(tail);
    tail.start();
    return tail;
  }

  @Override
  public OptionalLong locate(long csn) {
    if (csn > writer.durableLsn()) {
      return OptionalLong.empty();
    }
    Map.Entry<Long, LogSegment> first = segments.firstEntry();
    long forgotten = first == null ? Lsn.NONE : first.getValue().previousLsn();
    if (forgotten != Lsn.NONE && csn <= forgotten) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "the records of stream %d from LSN %s on were trimmed; it starts at offset %d"
              .formatted(streamId, Lsn.toString(csn), first.getKey()));
    }
    long from = startOffset();
    for (LogSegment segment : segments.values()) {
      if (segment.previousLsn() >= csn) {
        break;
      }
      from = segment.base();
    }
    try (SegmentReader reader = reader(from)) {
      while (reader.next()) {
        if (reader.lastLsn() >= csn) {
          return OptionalLong.of(reader.offset());
        }
      }
    }
    return OptionalLong.empty();
  }

  @Override
  public void trim(long offset) {
    long limit = Math.min(offset, writer.durable());
    while (true) {
      Map.Entry<Long, LogSegment> first = segments.firstEntry();
      Map.Entry<Long, LogSegment> second =
          first == null ? null : segments.higherEntry(first.getKey());
      if (second == null || second.getKey() > limit) {
        return;
      }
      if (segments.remove(first.getKey(), first.getValue())) {
        release(first.getValue());
      }
    }
  }

  @Override
  public long startOffset() {
    Map.Entry<Long, LogSegment> first = segments.firstEntry();
    return first == null ? 0 : first.getKey();
  }

  /** The segment that holds the offset, null when it was trimmed. */
  LogSegment segmentHolding(long offset) {
    Map.Entry<Long, LogSegment> entry = segments.floorEntry(offset);
    return entry == null ? null : entry.getValue();
  }

  /** The segment that begins with the offset, null when there is none. */
  LogSegment segmentAt(long offset) {
    return segments.get(offset);
  }

  void release(LogSegment segment) {
    if (segment.release()) {
      preparer.recycle(segment);
    }
  }

  Disk disk() {
    return disk;
  }

  GaussException trimmed(long offset) {
    return new GaussException(
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "offset "
            + offset
            + " of stream "
            + streamId
            + " was trimmed; it starts at "
            + startOffset());
  }

  /**
   * Waits until the durable offset is above {@code offset} or the waiter gives up, which it checks
   * after {@link #wakeTails}.
   */
  void awaitDurableBeyond(long offset, BooleanSupplier givenUp) {
    synchronized (durableMonitor) {
      durableWaiters++;
      try {
        while (writer.durable() <= offset && !givenUp.getAsBoolean()) {
          durableMonitor.wait();
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException("a tail's thread was interrupted", e);
      } finally {
        durableWaiters--;
      }
    }
  }

  void wakeTails() {
    synchronized (durableMonitor) {
      durableMonitor.notifyAll();
    }
  }

  void forget(LogTail tail) {
    tails.remove(tail);
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      work.signal();
    } finally {
      lock.unlock();
    }
    Threads.join(thread);
    tails.forEach(LogTail::close);
    lock.lock();
    try {
      takeRole();
    } finally {
      lock.unlock();
    }
    try {
      if (failure == null) {
        writer.closeCleanly();
      }
    } catch (IOException e) {
      LOG.warn("stream {} could not be closed in order; the next open scans its tail", streamId, e);
    } finally {
      handBack();
    }
    closeFiles();
  }

  private void closeFiles() {
    List<AutoCloseable> files = new ArrayList<>();
    files.add(preparer);
    files.add(writer::close);
    segments.values().forEach(segment -> files.add(segment.file()));
    files.add(control);
    files.add(disk);
    for (AutoCloseable file : files) {
      try {
        file.close();
      } catch (Exception e) {
        LOG.warn("closing a file of stream {} failed", streamId, e);
      }
    }
  }
}
