package io.gauss.common.transport.link;

/**
 * Executes tasks in order, as one thread does: an event loop, or simulated time in tests. All state
 * of a connection is confined to its loop. Thread-safe.
 */
public interface Loop {
  /** True when the caller is a task of this loop. */
  boolean inLoop();

  /**
   * Runs the task later, after earlier ones.
   *
   * @throws java.util.concurrent.RejectedExecutionException when the loop has ended
   */
  void execute(Runnable task);

  /**
   * @param delayNanos from now, 0 or more
   * @throws java.util.concurrent.RejectedExecutionException when the loop has ended
   */
  Timer schedule(Runnable task, long delayNanos);

  /** Monotonic time; comparable only by differences, within one loop. */
  long nanoTime();

  /** A task that was scheduled. */
  interface Timer {
    /** No effect when it has run. */
    void cancel();
  }
}
