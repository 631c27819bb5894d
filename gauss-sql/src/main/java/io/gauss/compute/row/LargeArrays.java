package io.gauss.compute.row;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the heap of all arrays that hold very large rows: a few sessions that each compute one row
 * of 256 MB would take all of it. Arrays below {@link #LEAST_COUNTED} are not counted. One is
 * counted until its owner replaces it, or else until it has been collected as garbage: owners are
 * dropped with their statements without being closed. Thread-safe.
 */
final class LargeArrays {
  /** Bytes from which an array is counted. */
  static final int LEAST_COUNTED = 4 << 20;

  /** Those of the process: half of the heap. */
  static final LargeArrays OF_PROCESS = new LargeArrays(Runtime.getRuntime().maxMemory() / 2);

  /** After a collection in vain, that many times as long none is made. */
  private static final int REST = 9;

  private static final long MOST_REST_NANOS = 5_000_000_000L;
  private static final long LOOK_NANOS = 20_000_000;

  private final long most;
  private final Runnable collector;

  /** Held while garbage is looked for. */
  private final Object turn = new Object();

  private volatile long collections; // begun so far; written by who has the turn
  private long restUntil = Environment.nanoTime(); // by who has the turn

  private final AtomicLong taken = new AtomicLong();
  private final AtomicLong numbers = new AtomicLong();

  /** By number. References that are not kept are collected with what they refer to. */
  private final Map<Long, Counted> counted = new ConcurrentHashMap<>();

  private final ReferenceQueue<byte[]> collected = new ReferenceQueue<>();

  LargeArrays(long most) {
    this(most, System::gc);
  }

  /**
   * @param collector collects garbage
   */
  LargeArrays(long most, Runnable collector) {
    this.most = most;
    this.collector = collector;
  }

  /** An array that is counted. */
  final class Counted extends PhantomReference<byte[]> {
    private final long number = numbers.incrementAndGet();
    private final int bytes;

    private Counted(byte[] array) {
      super(array, collected);
      this.bytes = array.length;
    }

    /** The owner has dropped the array. */
    void release() {
      if (counted.remove(number, this)) {
        giveBack(bytes);
      }
    }
  }

  /**
   * To be called before an array is allocated, and followed by {@link #count}.
   *
   * @throws GaussException 53200 when it has no room beside the others
   */
  void reserve(long bytes) {
    releaseCollected();
    if (taken.addAndGet(bytes) <= most) {
      return;
    }
    if (!isEnoughGarbage()) {
      giveBack(bytes);
      throw new GaussException(SqlState.OUT_OF_MEMORY, "out of memory")
          .detail("The very large rows of all sessions take more than %d MB.".formatted(most >> 20))
          .hint("Try again later, or give the node more heap.");
    }
  }

  private void releaseCollected() {
    for (var gone = collected.poll(); gone != null; gone = collected.poll()) {
      ((Counted) gone).release();
    }
  }

  /**
   * The collector clears references at once; a thread of the JVM's queues them, whenever it gets to
   * that.
   */
  private void releaseUnreachable() {
    for (Counted reference : counted.values()) {
      if (reference.refersTo(null)) {
        reference.release();
      }
    }
  }

  /**
   * Whether arrays that nobody has any more are all that there is too much of. A collector that
   * still has room does not look for them by itself. But a full collection stops the whole node:
   * one is for all that wait for it, and after one in vain nine tenths of the time are without any,
   * however many rows are refused.
   */
  private boolean isEnoughGarbage() {
    long before = collections;
    synchronized (turn) {
      if (collections == before) {
        rest();
        if (!isEnough() && !Thread.currentThread().isInterrupted()) {
          collect();
        }
      }
      return isEnough();
    }
  }

  private void rest() {
    for (long left = left();
        left > 0 && !isEnough() && !Thread.currentThread().isInterrupted();
        left = left()) {
      Environment.parkNanos(this, Math.min(left, LOOK_NANOS));
    }
  }

  private long left() {
    return restUntil - Environment.nanoTime();
  }

  private boolean isEnough() {
    releaseCollected();
    return taken.get() <= most;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // in turn
  private void collect() {
    long begin = Environment.nanoTime();
    collections++;
    collector.run();
    long now = Environment.nanoTime();
    releaseUnreachable();
    restUntil = isEnough() ? now : now + Math.min(REST * (now - begin), MOST_REST_NANOS);
  }

  /** What was reserved is not taken any more. */
  void giveBack(long bytes) {
    taken.addAndGet(-bytes);
  }

  /** Counts an array for which room has been reserved, until it is released or collected. */
  Counted count(byte[] array) {
    Counted reference = new Counted(array);
    counted.put(reference.number, reference);
    return reference;
  }
}
