package io.gauss.compute.log;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.memory.Memory;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.wait.Parking;
import io.gauss.compute.wait.WaitCause;
import io.gauss.compute.wait.WaitCounter;
import io.gauss.compute.wait.Waiter;
import io.gauss.storage.api.LogStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Ring of redo bytes between MTRs and the log stream, with group commit.
 *
 * <p>A writer takes credit for its bytes before it latches anything ({@link #takeCredit}), reserves
 * offset and LSNs together in a critical section of a few instructions ({@link #reserve}), copies
 * and publishes. {@link LogSender} collects the bytes published without a gap and appends them; the
 * append's callback raises the durable LSN and delivers waits.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>Offsets and LSNs rise together: of two MTRs the one at the higher offset has the higher
 *       LSNs (law 5, LSNs order).
 *   <li>{@code reserved bytes - durable bytes <= ring}: credit is taken for at least the bytes
 *       reserved, and is returned only when they are durable. So a place in the ring is never
 *       written while an append may read it.
 *   <li>Reserved bytes are always published: nothing waits between the two. An error there fails
 *       the log for good.
 *   <li>{@link #durableLsn} never goes back and never passes the last LSN that the stream has
 *       acknowledged.
 *   <li>{@link #visibleLsn} never goes back and never passes {@link #durableLsn}. On a single node
 *       the two are the same.
 * </ul>
 *
 * <p>When the disk is full, writers and waiters get 53100 and the sender continues trying; nothing
 * is lost, and the bytes in the ring become durable when there is room. The same with 57P03 when
 * appends have not been answered for the stall timeout: no quorum of storage nodes, or a disk that
 * hangs. When the stream has failed, both get 58030 until the engine is started anew.
 */
public final class LogBuffer implements AutoCloseable {
  private static final VarHandle LOCK;
  private static final VarHandle RESERVED_LSN;
  private static final VarHandle RESERVED_OFFSET;
  private static final VarHandle VISIBLE_LSN;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      LOCK = lookup.findVarHandle(LogBuffer.class, "reserveLock", int.class);
      RESERVED_LSN = lookup.findVarHandle(LogBuffer.class, "reservedLsn", long.class);
      RESERVED_OFFSET = lookup.findVarHandle(LogBuffer.class, "reservedOffset", long.class);
      VISIBLE_LSN = lookup.findVarHandle(LogBuffer.class, "visibleLsn", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final LogSettings settings;
  private final LamportClock clock;
  private final LogRing ring;
  private final DurableWaits waits;
  private final LogSender sender;
  private final MtrBuffers buffers = new MtrBuffers();
  private final int streamId;

  @SuppressWarnings("unused") // through LOCK
  private volatile int reserveLock;

  private long nextOffset; // under reserveLock
  private volatile long reservedLsn; // written under reserveLock
  private volatile long reservedOffset; // written under reserveLock

  private volatile long durableLsn;
  private volatile long durableOffset;

  // The other nodes that must be notified of commits; null when there never are any.
  private volatile CommitAdvance others;
  private volatile long visibleLsn;
  private final DurableWaits advanceWaits = new DurableWaits(this::visibleLsn);

  // How far the page store may lag behind, and the offset that it has reached.
  private volatile long maxApplyLag = Long.MAX_VALUE;
  private volatile long appliedOffset;

  private final AtomicLong credit;
  private final ConcurrentLinkedQueue<Thread> creditWaiters = new ConcurrentLinkedQueue<>();
  private final WaitCounter creditWaits = new WaitCounter();

  public LogBuffer(LogSettings settings, LamportClock clock, LogStream stream, int epoch) {
    this.settings = settings;
    this.clock = clock;
    this.streamId = stream.streamId();
    this.nextOffset = stream.endOffset();
    this.reservedOffset = nextOffset;
    this.durableOffset = nextOffset;
    this.reservedLsn = stream.lastLsn();
    this.durableLsn = reservedLsn;
    this.visibleLsn = reservedLsn;
    clock.observe(reservedLsn);
    this.ring = new LogRing(settings.ringBytes(), settings.maxMtrBytes());
    this.credit = new AtomicLong(settings.ringBytes());
    this.waits = new DurableWaits(this::durableLsn);
    this.sender = new LogSender(this, settings, ring, stream, epoch, waits);
    sender.start();
  }

  public int streamId() {
    return streamId;
  }

  public LamportClock clock() {
    return clock;
  }

  /** Everything up to this LSN is durable. Monotonic. */
  public long durableLsn() {
    return durableLsn;
  }

  /**
   * Commits of this node up to this LSN may be confirmed to clients: they are durable, and no live
   * node can take a snapshot below them any more (law 8, visible means durable and advanced).
   * Monotonic.
   */
  public long visibleLsn() {
    // Both at once on a single node: whoever finds a commit durable there need not wait for more.
    return others == null ? durableLsn : visibleLsn;
  }

  /**
   * A value of the clock at or below which every commit of this node, present and future, is
   * visible: the clock itself while no commit is under way.
   */
  public long settledLsn() {
    lock();
    long now = clock.now();
    long reserved = reservedLsn;
    LOCK.setRelease(this, 0);
    long visible = visibleLsn();
    return reserved <= visible ? now : visible;
  }

  /**
   * From now on commits become visible only when these nodes also know of them. To be called before
   * any thread waits for a commit.
   */
  public void advance(CommitAdvance nodes) {
    raiseVisible(durableLsn); // it was visible until now
    others = nodes;
    raiseVisible(nodes);
  }

  CommitAdvance others() {
    return others;
  }

  /**
   * The other nodes have advanced, or need not be waited for any more: notifies the waiters. Any
   * thread; quick except for the callbacks.
   */
  public void advanced() {
    CommitAdvance nodes = others;
    if (nodes != null) {
      raiseVisible(nodes);
      advanceWaits.deliver();
    }
  }

  private void raiseVisible(CommitAdvance nodes) {
    // First read which LSNs are durable, and so were reserved; then which nodes have to know of
    // them (rule 5). A node that becomes a receiver in between gets a clock above all of them.
    long durable = durableLsn;
    raiseVisible(Math.min(durable, nodes.through()));
  }

  private void raiseVisible(long visible) {
    long before = visibleLsn;
    while (before < visible && !VISIBLE_LSN.compareAndSet(this, before, visible)) {
      before = visibleLsn;
    }
  }

  /**
   * Stream offset up to which everything is durable. Monotonic; at least that of {@link
   * #durableLsn} read before.
   */
  public long durableOffset() {
    return durableOffset;
  }

  /** LSN of the last record reserved so far. */
  public long reservedLsn() {
    return reservedLsn;
  }

  /** Stream offset after everything reserved so far. */
  public long reservedOffset() {
    return reservedOffset;
  }

  /**
   * Calls back once {@code lsn} is durable, at once when it is already; on a log thread, in LSN
   * order; must not block. When the log has failed or is stalled or the disk is full the callback
   * gets the error instead; the LSN may still become durable later.
   */
  public void whenDurable(long lsn, DurableCallback callback) {
    if (lsn <= durableLsn) {
      callback.done(null);
      return;
    }
    if (lsn > reservedLsn) {
      throw new IllegalArgumentException("LSN " + Lsn.toString(lsn) + " was never reserved");
    }
    waits.add(lsn, callback);
    sender.request(lsn);
  }

  /**
   * Calls back once a commit of this node may be confirmed, at once when it may already; on a log
   * thread or on that of a connection to another node; must not block. With an error as in {@link
   * #whenDurable}; a commit that is durable gets none while the log is open.
   */
  public void whenVisible(long lsn, DurableCallback callback) {
    if (lsn <= visibleLsn()) {
      callback.done(null);
      return;
    }
    CommitAdvance nodes = others;
    if (nodes == null) {
      whenDurable(lsn, callback);
      return;
    }
    boolean told = sender.announce(lsn);
    whenDurable(lsn, error -> durableThenVisible(lsn, error, callback));
    if (!told) {
      nodes.sending(lsn);
    }
  }

  private void durableThenVisible(long lsn, GaussException error, DurableCallback callback) {
    if (error != null || lsn <= visibleLsn()) {
      callback.done(error);
      return;
    }
    advanceWaits.add(lsn, callback);
    if (lsn <= visibleLsn()) {
      advanceWaits.deliver();
    }
  }

  /** Waits for it; no latch may be held. */
  public void awaitDurable(Waiter ctx, long lsn) {
    if (lsn > durableLsn) {
      await(ctx, wait -> whenDurable(lsn, wait));
    }
  }

  /** Waits until a commit of this node may be confirmed; no latch may be held. */
  public void awaitVisible(Waiter ctx, long lsn) {
    if (lsn > visibleLsn()) {
      await(ctx, wait -> whenVisible(lsn, wait));
    }
  }

  private void await(Waiter ctx, Consumer<DurableCallback> begin) {
    ctx.waits().beforeWait();
    ParkedWait wait = new ParkedWait(Thread.currentThread());
    begin.accept(wait);
    long start = Environment.nanoTime();
    Parking.await(ctx, WaitCause.LOG, Parking.FOREVER, wait::isDone);
    ctx.waits().waited(WaitCause.LOG, Environment.nanoTime() - start);
    if (wait.error != null) {
      throw wait.error;
    }
  }

  /** Has everything reserved so far sent, without waiting. */
  void force() {
    sender.request(reservedLsn);
  }

  /** Appends acknowledged so far. */
  public long appends() {
    return sender.appends();
  }

  /** Bytes acknowledged so far. */
  public long appendedBytes() {
    return sender.appendedBytes();
  }

  /** Times that a writer waited for room in the ring. */
  public WaitCounter creditWaits() {
    return creditWaits;
  }

  /** Waits for redo to become durable, those of commits included. */
  public WaitCounter durableWaits() {
    return waits.counter();
  }

  /** Waits until other nodes know of commits that were already durable. */
  public WaitCounter advanceWaits() {
    return advanceWaits.counter();
  }

  /** Approximate number of these waits now. */
  public int waitingForOthers() {
    return advanceWaits.count();
  }

  /**
   * From now on writers are slowed when the page store is behind the durable end by more than this
   * many bytes.
   */
  public void limitApplyLag(long bytes) {
    appliedOffset = durableOffset;
    maxApplyLag = bytes;
  }

  /** The page store has taken the stream up to this offset. */
  public void applied(long offset) {
    appliedOffset = offset;
    if (!creditWaiters.isEmpty()) {
      wakeCreditWaiters();
    }
  }

  /** Durable bytes that the page store has not taken yet, according to {@link #applied}. */
  public long applyLag() {
    return maxApplyLag == Long.MAX_VALUE ? 0 : Math.max(0, durableOffset - appliedOffset);
  }

  /**
   * Checks whether the log makes progress; to be called every {@link #watchInterval}, by any
   * thread. While it makes none, writers and waiters are refused; when it does again, they are
   * accepted again.
   */
  public void watch() {
    sender.watch();
  }

  public Duration watchInterval() {
    return Duration.ofNanos(sender.watchNanos());
  }

  /**
   * For a statement that is about to write, before it takes locks.
   *
   * @throws GaussException why writers are refused now
   */
  public void checkWritable() {
    throwIfRefused(false);
  }

  private void throwIfRefused(boolean urgent) {
    if (sender.refuses(urgent)) {
      GaussException refusal = sender.refusal();
      if (refusal != null) { // null when the log has just recovered
        throw refusal;
      }
    }
  }

  /** Why writers are refused now, or null. */
  public GaussException refusal() {
    return sender.refusal();
  }

  /** Whether the stream has failed: nothing more becomes durable. */
  public boolean hasFailed() {
    return sender.hasFailed();
  }

  /** Sends the remaining bytes, waits for them and stops. The stream stays open. */
  @Override
  public void close() {
    sender.close();
    advanceWaits.failure(() -> new GaussException(SqlState.ADMIN_SHUTDOWN, "the log is closed"));
    advanceWaits.deliver();
  }

  /**
   * Takes credit for an MTR.
   *
   * @param urgent for rollbacks: continues while there is room in the ring, even when the disk is
   *     full
   */
  public void takeCredit(Waiter ctx, int bytes, boolean urgent) {
    Invariant.check(
        ctx.waits().latchesHeld() == 0, "law 4: log space is reserved before any latch");
    if (bytes > settings.maxMtrBytes()) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED,
          "a mini-transaction of "
              + bytes
              + " bytes exceeds the limit of "
              + settings.maxMtrBytes());
    }
    throwIfRefused(urgent);
    // Writers leave a quarter of the ring to rollbacks, which must get through when the disk is
    // full.
    long keep = urgent ? 0 : settings.ringBytes() / 4;
    if ((lags() && !urgent) || !tryCredit(bytes, keep)) {
      ctx.waits().beforeWait();
      awaitCredit(ctx, bytes, keep, urgent);
    }
  }

  private boolean lags() {
    return durableOffset - appliedOffset > maxApplyLag;
  }

  private boolean tryCredit(int bytes, long keep) {
    long left = credit.addAndGet(-bytes);
    if (left >= keep) {
      return true;
    }
    credit.addAndGet(bytes);
    return false;
  }

  private void awaitCredit(Waiter ctx, int bytes, long keep, boolean urgent) {
    long start = Environment.nanoTime();
    Thread self = Thread.currentThread();
    try {
      while (true) {
        creditWaiters.add(self);
        boolean slowed = lags() && !urgent;
        if (!slowed && tryCredit(bytes, keep)) {
          return;
        }
        force();
        // Woken when credit comes back. The time limit covers a wake-up that another waiter has
        // used up.
        long before = credit.get();
        Parking.await(
            ctx,
            WaitCause.LOG,
            1_000_000,
            () -> (slowed ? !lags() : credit.get() > before) || sender.refuses(urgent));
        creditWaiters.remove(self);
        throwIfRefused(urgent);
      }
    } finally {
      creditWaiters.remove(self);
      ctx.waits().waited(WaitCause.LOG, creditWaits.waitedSince(start));
    }
  }

  public void returnCredit(long bytes) {
    credit.addAndGet(bytes);
    if (!creditWaiters.isEmpty()) {
      Thread waiter;
      while ((waiter = creditWaiters.poll()) != null) {
        LockSupport.unpark(waiter);
      }
    }
  }

  /** Wakes the threads that wait for credit so that they check the log's state. */
  void wakeCreditWaiters() {
    returnCredit(0);
  }

  /**
   * Reserves a place and LSNs together. The caller publishes without waiting in between.
   *
   * @param bytes the MTR's length, at most its credit
   * @param records its number of records
   * @param place gets the offset
   * @return LSN of the first record
   */
  public long reserve(int bytes, int records, Place place) {
    lock();
    long first = clock.next(records);
    long offset = nextOffset;
    nextOffset = offset + bytes;
    RESERVED_OFFSET.setRelease(this, offset + bytes);
    RESERVED_LSN.setRelease(this, first + (records - 1) * Lsn.STEP);
    LOCK.setRelease(this, 0);
    place.offset = offset;
    return first;
  }

  private void lock() {
    int tries = 0;
    while (!LOCK.compareAndSet(this, 0, 1)) {
      if (++tries < 64) {
        Thread.onSpinWait();
      } else {
        // The holder may have lost its processor in the middle.
        Thread.yield();
      }
    }
  }

  /** Copies the MTR to its place and hands it to the sender. */
  public void publish(long mtr, long offset, int bytes, long baseLsn) {
    Memory.copy(mtr, ring.address(offset), bytes);
    ring.publish(offset, bytes);
    sender.published(offset, bytes, baseLsn);
  }

  /**
   * Refuses writers and waits from now on: the log has a hole that nothing can fill (something
   * broke between reservation and publication), or the page store cannot follow it.
   */
  public void fail(Throwable cause) {
    sender.fail(cause);
  }

  public MtrBuffers buffers() {
    return buffers;
  }

  /** Called by the sender, in the order of offsets. */
  void durable(long offset, long lsn, long bytes) {
    // Offset first: a thread that sees the LSN as durable finds its bytes below the durable offset.
    durableOffset = offset;
    durableLsn = lsn;
    if (others == null) {
      visibleLsn = lsn;
    } else {
      advanced();
    }
    returnCredit(bytes);
  }

  /** Called when an LSN is durable, or with the reason why it will not be. */
  @FunctionalInterface
  public interface DurableCallback {
    /**
     * @param error null when durable
     */
    void done(GaussException error);
  }

  /** Where a reservation puts its offset; one per MTR, reused. */
  public static final class Place {
    public long offset;
  }

  private static final class ParkedWait implements DurableCallback {
    private final Thread thread;
    private GaussException error; // published by done
    private volatile boolean done;

    ParkedWait(Thread thread) {
      this.thread = thread;
    }

    boolean isDone() {
      return done;
    }

    @Override
    public void done(GaussException failure) {
      error = failure;
      done = true;
      LockSupport.unpark(thread);
    }
  }
}
