package io.gauss.compute.log;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.health.Problem;
import io.gauss.common.memory.Memory;
import io.gauss.common.redo.MtrLayout;
import io.gauss.common.runtime.Environment;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.LogStream.AppendResult;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the bytes published in the ring without a gap and appends them to the stream in batches
 * of whole MTRs.
 *
 * <p>Grouping: with few waiters the next batch is sent as soon as the previous append is done, at
 * once when none is under way; with many, batches are spaced in time, so that each carries more
 * commits. Bytes that no thread waits for are sent when a batch is full or after the lazy interval,
 * so that the MTRs before a commit share its force.
 *
 * <p>Threads: {@link #pump} runs on one thread at a time, whichever finds work: a thread that
 * starts to wait, the stream's callback, or this class's own platform thread, which handles the
 * timing (lazy and group interval, retries of a full disk) and parks when there is nothing to do.
 * Nothing here blocks on I/O: the stream's append is asynchronous.
 */
final class LogSender {
  private static final Logger LOG = LoggerFactory.getLogger(LogSender.class);
  private static final VarHandle REQUESTED;
  private static final VarHandle ANNOUNCE;
  private static final VarHandle STATE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      REQUESTED = lookup.findVarHandle(LogSender.class, "requestedLsn", long.class);
      ANNOUNCE = lookup.findVarHandle(LogSender.class, "announceLsn", long.class);
      STATE = lookup.findVarHandle(LogSender.class, "state", State.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Full batches may be under way at once, beyond the configured number of appends. */
  private static final int FULL_IN_FLIGHT = 4;

  /** Lazy intervals without work after which the thread parks until it is woken. */
  private static final int QUIET_ROUNDS = 10;

  /**
   * Only {@link #watch} changes between OPEN and STALLED, by compare-and-set, since the stream's
   * thread may set another state at the same time.
   */
  private enum State {
    OPEN,
    /** Appends are under way and unanswered; they continue, and so does sending. */
    STALLED,
    DISK_FULL,
    FAILED,
    CLOSED
  }

  private final LogBuffer log;
  private final LogSettings settings;
  private final LogRing ring;
  private final LogStream stream;
  private final int epoch;
  private final DurableWaits waits;
  private final StallWatch stallWatch; // in watch
  private final Thread thread;
  private final String beforeAppend; // of this stream alone, whatever thread sends

  private volatile State state = State.OPEN;
  private volatile Throwable failure;
  private volatile String fullFile = "";
  private volatile boolean stopped;

  @SuppressWarnings("unused") // through REQUESTED
  private volatile long requestedLsn;

  @SuppressWarnings("unused") // through ANNOUNCE
  private volatile long announceLsn;

  private volatile long sentLsn;
  private volatile long sentOffset;
  private final AtomicInteger inFlight = new AtomicInteger();

  // The batch being collected; used by the pumping thread.
  private final AtomicInteger pumpWork = new AtomicInteger();
  private long batchStart;
  private long batchEnd;
  private long batchFirstLsn;
  private long batchLastLsn;
  private boolean batchClosed;
  private long lastSendNanos;

  // Batches that a full disk refused, in order.
  private final ConcurrentLinkedDeque<Batch> refused = new ConcurrentLinkedDeque<>();

  // Requests to this class's own thread.
  private volatile boolean idle;
  private volatile boolean pumpWanted;
  private volatile boolean deliveryWanted;
  private volatile boolean groupWait;

  private final LongAdder appends = new LongAdder();
  private final LongAdder appendedBytes = new LongAdder();

  LogSender(
      LogBuffer log,
      LogSettings settings,
      LogRing ring,
      LogStream stream,
      int epoch,
      DurableWaits waits) {
    this.log = log;
    this.settings = settings;
    this.ring = ring;
    this.stream = stream;
    this.epoch = epoch;
    this.waits = waits;
    this.stallWatch = new StallWatch(settings.stallTimeout());
    this.batchStart = log.reservedOffset();
    this.batchEnd = batchStart;
    this.sentOffset = batchStart;
    this.sentLsn = log.reservedLsn();
    this.lastSendNanos = Environment.nanoTime();
    this.thread = Environment.thread("gauss-log-" + stream.streamId(), this::run);
    this.beforeAppend = "log-" + stream.streamId() + ".before-append";
  }

  void start() {
    thread.start();
  }

  // ---- what writers and waiters call

  /**
   * An MTR was published; notifies the sender when a thread waits for it, or when a batch has
   * become full. The caller holds latches, so it sends nothing itself.
   */
  void published(long offset, int bytes, long baseLsn) {
    if (requestedLsn >= baseLsn) {
      wakeThread();
      return;
    }
    long unsent = offset - sentOffset;
    if (unsent < settings.batchBytes() && unsent + bytes >= settings.batchBytes()) {
      wakeThread();
    } else if (idle) {
      LockSupport.unpark(thread);
    }
  }

  /**
   * Somebody is going to wait until a commit is visible: the other nodes are told with the append
   * that takes it along. Appends that nobody waits for, or for the disk alone (a page that leaves,
   * the lazy interval), tell no node.
   *
   * @return false when that append has been sent, and may have told nobody
   */
  boolean announce(long lsn) {
    raise(ANNOUNCE, lsn);
    return lsn > sentLsn; // sending writes this, and then looks who is to be told
  }

  private void raise(VarHandle what, long lsn) {
    long before = (long) what.getVolatile(this);
    while (before < lsn && !what.compareAndSet(this, before, lsn)) {
      before = (long) what.getVolatile(this);
    }
  }

  /** A thread wants the LSN durable; if it waits, its wait is already in the list. */
  void request(long lsn) {
    raise(REQUESTED, lsn);
    // With the maximum number of appends under way, the next callback sees the request.
    if (lsn > sentLsn && sends() && inFlight.get() < settings.appendsInFlight()) {
      wake();
    }
    if (lsn <= log.durableLsn() || state != State.OPEN) {
      // The batch was done before the wait was in the list.
      deliveryWanted = true;
      LockSupport.unpark(thread);
    }
  }

  private void wake() {
    if (settings.waiterSends()) {
      pump();
    } else {
      wakeThread();
    }
  }

  private void wakeThread() {
    if (!pumpWanted) {
      // The thread clears the flag before it looks at the ring, so the work of a caller that finds
      // the flag set is seen anyway.
      pumpWanted = true;
      LockSupport.unpark(thread);
    }
  }

  /** Everything up to this LSN was handed to the stream. */
  long sentLsn() {
    return sentLsn;
  }

  boolean hasFailed() {
    return failure != null;
  }

  boolean refuses(boolean urgent) {
    return switch (state) {
      case OPEN -> false;
      case STALLED, DISK_FULL -> !urgent;
      case FAILED, CLOSED -> true;
    };
  }

  /** A new exception with the reason why writers are refused; null when they are not. */
  GaussException refusal() {
    return switch (state) {
      case OPEN -> null;
      case STALLED -> stalled();
      case DISK_FULL ->
          new GaussException(SqlState.DISK_FULL, "could not write to log: disk full")
              .detail("No room for " + fullFile + ".")
              .hint("Writing continues by itself when there is room.");
      case FAILED -> {
        Throwable cause = failure;
        yield new GaussException(
                SqlState.IO_ERROR,
                "could not write to log: " + (cause == null ? "" : cause.getMessage()),
                cause)
            .hint("Restart the server; what was acknowledged is safe.");
      }
      case CLOSED -> new GaussException(SqlState.ADMIN_SHUTDOWN, "the log is closed");
    };
  }

  private GaussException stalled() {
    String why =
        stream.problems().stream().map(Problem::toString).collect(Collectors.joining("; "));
    return new GaussException(
            SqlState.CANNOT_CONNECT_NOW,
            "could not write to log: nothing became durable for %d ms"
                .formatted(settings.stallTimeout().toMillis()))
        .detail(why.isEmpty() ? "The log does not answer." : "The log says: " + why + ".")
        .hint("Writing continues by itself when the log does.");
  }

  /** Whether published bytes are handed to the stream. */
  private boolean sends() {
    State now = state;
    return now == State.OPEN || now == State.STALLED;
  }

  long appends() {
    return appends.sum();
  }

  long appendedBytes() {
    return appendedBytes.sum();
  }

  // ---- collecting and sending

  private void pump() {
    if (pumpWork.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      try {
        while (sends() && collect() && maySend()) {
          send();
        }
      } catch (RuntimeException | Error e) {
        fail(e);
      }
      seen = pumpWork.addAndGet(-seen);
    } while (seen != 0);
  }

  /** Adds published MTRs to the batch; false when it is empty. */
  private boolean collect() {
    while (!batchClosed) {
      int length = ring.published(batchEnd);
      if (length == 0) {
        break;
      }
      if (batchEnd > batchStart && batchEnd + length - batchStart > settings.batchBytes()) {
        batchClosed = true;
        break;
      }
      ring.consume(batchEnd);
      long mtr = ring.address(batchEnd);
      long baseLsn = MtrLayout.baseLsn(mtr);
      if (batchEnd == batchStart) {
        batchFirstLsn = baseLsn;
      }
      batchLastLsn = MtrLayout.recordLsn(baseLsn, MtrLayout.count(mtr) - 1);
      // An MTR that runs into the overhang is the last one that lies contiguously.
      batchClosed = ring.index(batchEnd) + length >= ring.bytes();
      batchEnd += length;
      batchClosed |= batchEnd - batchStart >= settings.batchBytes();
    }
    return batchEnd > batchStart;
  }

  private boolean maySend() {
    int flying = inFlight.get();
    if (flying >= settings.appendsInFlight() && !(batchClosed && flying < FULL_IN_FLIGHT)) {
      return false; // the callback pumps
    }
    if (batchClosed) {
      return true;
    }
    if (requestedLsn < batchFirstLsn) {
      return false; // until the lazy interval is over
    }
    if (waits.count() >= settings.manyWaiters()
        && Environment.nanoTime() - lastSendNanos < settings.groupInterval().toNanos()) {
      groupWait = true;
      LockSupport.unpark(thread);
      return false;
    }
    return true;
  }

  private void send() {
    Batch batch = new Batch(batchStart, batchEnd, batchFirstLsn, batchLastLsn);
    batchStart = batchEnd;
    batchClosed = false;
    sentOffset = batch.end;
    sentLsn = batch.lastLsn;
    lastSendNanos = Environment.nanoTime();
    CommitAdvance others = log.others();
    if (others != null && announceLsn >= batch.firstLsn) {
      others.sending(batch.lastLsn); // they are notified while it is being forced
    }
    append(batch);
  }

  private void append(Batch batch) {
    inFlight.incrementAndGet();
    FaultPoints.hit("log.before-append");
    FaultPoints.hit(beforeAppend);
    int length = Math.toIntExact(batch.end - batch.start);
    stream.append(
        epoch,
        batch.start,
        batch.firstLsn,
        batch.lastLsn,
        Memory.buffer(ring.address(batch.start), length),
        batch);
  }

  void fail(Throwable cause) {
    if (state == State.FAILED || state == State.CLOSED) {
      return;
    }
    failure = cause;
    state = State.FAILED;
    if (cause instanceof TakenOver) {
      LOG.warn("{}; writes are refused until the engine is started anew", cause.getMessage());
    } else {
      LOG.error("the log has failed; writes are refused until the engine is started anew", cause);
    }
    refuse();
  }

  /** Another node has recovered this one: no failure of the log, and expected at a lost lease. */
  private static final class TakenOver extends IllegalStateException {
    private static final long serialVersionUID = 1;

    TakenOver(int epoch) {
      super("the log stream was taken over in epoch " + epoch);
    }
  }

  // ---- the outcome of appends, on the stream's thread, in the order of offsets

  private void done(Batch batch, AppendResult result) {
    FaultPoints.hit("log.after-append");
    inFlight.decrementAndGet();
    switch (result) {
      case AppendResult.Appended appended -> durable(batch);
      case AppendResult.DiskFull full -> diskFull(batch, full);
      case AppendResult.WrongOffset wrong -> {
        if (wrong.endOffset() >= batch.end) {
          durable(batch);
        } else if (state == State.DISK_FULL && !batch.again) {
          refused.add(batch); // the one before it was refused
        } else {
          fail(
              new IllegalStateException(
                  "log stream ends at " + wrong.endOffset() + ", the writer is at " + batch.start));
        }
      }
      case AppendResult.Fenced fenced -> fail(new TakenOver(fenced.epoch()));
      case AppendResult.Failed failed -> fail(failed.cause());
    }
    pump();
  }

  private void durable(Batch batch) {
    appends.increment();
    appendedBytes.add(batch.end - batch.start);
    log.durable(batch.end, batch.lastLsn, batch.end - batch.start);
    if (batch.again) {
      refused.remove(batch);
      Batch next = refused.peek();
      if (next != null) {
        next.again = true;
        append(next);
      } else if (state == State.DISK_FULL) {
        waits.failure(null);
        state = State.OPEN;
        LOG.info("the log's disk has room again; writing continues");
      }
    }
    waits.deliver();
  }

  private void diskFull(Batch batch, AppendResult.DiskFull full) {
    if (!batch.again) {
      refused.add(batch);
    }
    if (sends()) {
      fullFile = full.file();
      state = State.DISK_FULL;
      LOG.warn(
          "could not write to log: disk full ({}); writes are refused until there is room",
          full.file());
      refuse();
      LockSupport.unpark(thread);
    }
  }

  private void retryRefused() {
    Batch first = refused.peek();
    if (first != null && inFlight.get() == 0) {
      first.again = true;
      append(first);
    }
  }

  // ---- progress

  /** How often {@link #watch} is to be called. */
  long watchNanos() {
    return stallWatch.lookNanos();
  }

  /**
   * Finds out whether the log makes progress. Not called by this class's own thread, which a stream
   * that forces on the appending thread may delay.
   */
  synchronized void watch() {
    boolean stalls =
        stallWatch.look(Environment.nanoTime(), inFlight.get() != 0, log.durableOffset());
    if (stalls) {
      if (STATE.compareAndSet(this, State.OPEN, State.STALLED)) {
        refuse();
      }
    } else if (state == State.STALLED) {
      // First, so that no waiter gets a refusal that no longer applies.
      waits.failure(null);
      if (!STATE.compareAndSet(this, State.STALLED, State.OPEN)) {
        waits.failure(this::refusal);
      }
      waits.deliver();
    }
  }

  /** Gives waiters the reason for the refusal, according to the state that was set before. */
  private void refuse() {
    waits.failure(this::refusal);
    waits.deliver();
    log.wakeCreditWaiters();
  }

  // ---- the own thread

  private void run() {
    int quiet = 0;
    while (!stopped) {
      if (deliveryWanted) {
        deliveryWanted = false;
        waits.deliver();
      }
      if (pumpWanted) {
        pumpWanted = false;
        pump();
      }
      if (groupWait) {
        long left = settings.groupInterval().toNanos() - (Environment.nanoTime() - lastSendNanos);
        if (left > 0) {
          Environment.parkNanos(this, left);
        }
        groupWait = false;
        pump();
        continue;
      }
      if (state == State.DISK_FULL) {
        Environment.parkNanos(this, settings.diskFullRetry().toNanos());
        if (state == State.DISK_FULL && !stopped) {
          retryRefused();
        }
        continue;
      }
      long reserved = log.reservedOffset();
      if (reserved != sentOffset && sends()) {
        quiet = 0;
        Environment.parkNanos(this, settings.lazyInterval().toNanos());
        if (sentOffset < reserved) {
          log.force();
        }
      } else if (++quiet <= QUIET_ROUNDS) {
        Environment.parkNanos(this, settings.lazyInterval().toNanos());
      } else {
        parkUntilWoken();
        quiet = 0;
      }
    }
  }

  private void parkUntilWoken() {
    idle = true;
    // A writer that published before it saw the flag is seen here; one that comes later sees the
    // flag.
    boolean work =
        (log.reservedOffset() != sentOffset && sends())
            || deliveryWanted
            || pumpWanted
            || groupWait
            || stopped;
    if (!work) {
      LockSupport.park(this);
    }
    idle = false;
  }

  void close() {
    log.force();
    while (state == State.OPEN && log.durableOffset() < log.reservedOffset()) {
      watch();
      Environment.parkNanos(this, 200_000);
    }
    if (state != State.FAILED) {
      state = State.CLOSED;
    }
    refuse();
    stopped = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One append under way, and its callback. */
  private final class Batch implements LogStream.AppendCallback {
    private final long start;
    private final long end;
    private final long firstLsn;
    private final long lastLsn;
    private volatile boolean again;

    Batch(long start, long end, long firstLsn, long lastLsn) {
      this.start = start;
      this.end = end;
      this.firstLsn = firstLsn;
      this.lastLsn = lastLsn;
    }

    @Override
    public void done(AppendResult result) {
      LogSender.this.done(this, result);
    }
  }
}
