package io.gauss.storage.raft.stream;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one at a time and in order, on whichever thread brings one while none runs: no thread
 * of its own, so no change of threads. A task that a task brings runs after it.
 */
final class Serial {
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();

  void run(Runnable task) {
    tasks.add(task);
    if (waiting.getAndIncrement() != 0) {
      return;
    }
    do {
      tasks.remove().run();
    } while (waiting.decrementAndGet() != 0);
  }
}
