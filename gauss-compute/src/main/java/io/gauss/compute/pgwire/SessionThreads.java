package io.gauss.compute.pgwire;

import io.gauss.common.runtime.Environment;

/** Where sessions get a thread for work that may wait. Thread-safe. */
@FunctionalInterface
interface SessionThreads {
  /** A virtual thread for each. */
  SessionThreads VIRTUAL = (name, task) -> Environment.startVirtual(name, task);

  /**
   * Starts a thread; may throw anything when none is available, and has started none then.
   *
   * @param name shown in thread dumps
   */
  void start(String name, Runnable task);
}
