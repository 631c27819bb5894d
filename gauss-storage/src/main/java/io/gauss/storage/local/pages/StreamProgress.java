package io.gauss.storage.local.pages;

import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** The apply progress of one stream, and the reads that wait for it. */
final class StreamProgress {
  final int stream;

  /** Held by the thread that applies the stream. */
  final ReentrantLock applying = new ReentrantLock();

  /** Offset up to which records are taken, parked ones included; written under the store's lock. */
  volatile long taken;

  /** Offset up to which everything is readable. */
  volatile long applied;

  /** Offset in the last durable checkpoint. */
  volatile long checkpointed;

  /** LSN of the first record taken since the store was opened, 0 before. */
  long firstLsn;

  private final PriorityQueue<PageRead> waiting =
      new PriorityQueue<>((a, b) -> Long.compare(a.floor(), b.floor()));
  private volatile int waiters;

  StreamProgress(int stream, long offset) {
    this.stream = stream;
    this.taken = offset;
    this.applied = offset;
    this.checkpointed = offset;
  }

  /**
   * Makes a read wait for its floor. The floor may be reached already, so the caller must call
   * {@link #wake} afterwards.
   */
  void await(PageRead read) {
    synchronized (waiting) {
      waiting.add(read);
      waiters = waiting.size();
    }
  }

  /** Dispatches reads whose floor is reached. */
  void wake(Consumer<PageRead> dispatch) {
    if (waiters == 0) {
      return;
    }
    synchronized (waiting) {
      while (!waiting.isEmpty() && waiting.peek().floor() <= applied) {
        dispatch.accept(waiting.poll());
      }
      waiters = waiting.size();
    }
  }

  /** Hands all waiting reads over, whatever their floor. */
  void drain(Consumer<PageRead> to) {
    synchronized (waiting) {
      while (!waiting.isEmpty()) {
        to.accept(waiting.poll());
      }
      waiters = 0;
    }
  }

  /** Whether any read waits. */
  boolean isAwaited() {
    return waiters > 0;
  }

  /** Removes a read that timed out. */
  void forget(PageRead read) {
    synchronized (waiting) {
      waiting.remove(read);
      waiters = waiting.size();
    }
  }
}
