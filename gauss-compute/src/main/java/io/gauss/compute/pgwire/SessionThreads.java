package io.gauss.compute.pgwire;

/** Where sessions get a thread for what may wait. Thread-safe. */
@FunctionalInterface
interface SessionThreads {
  /** A virtual thread for each. */
  SessionThreads VIRTUAL = (name, task) -> Thread.ofVirtual().name(name).start(task);

  /**
   * Starts a thread; may throw anything when there is none to be had, and has started none then.
   *
   * @param name for those who look at threads
   */
  void start(String name, Runnable task);
}
