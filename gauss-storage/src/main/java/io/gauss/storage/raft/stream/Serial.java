package io.gauss.storage.raft.stream;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time and in order, on the thread that submits a task while none runs. It has
 * no thread of its own, so there is no thread switch. A task that is submitted by a task runs after
 * it.
 */
final class Serial {
  private static final Logger LOG = LoggerFactory.getLogger(Serial.class);

  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();

  void run(Runnable task) {
    tasks.add(task);
    if (waiting.getAndIncrement() != 0) {
      return;
    }
    do {
      runNext();
    } while (waiting.decrementAndGet() != 0);
  }

  private void runNext() {
    try {
      tasks.remove().run();
    } catch (RuntimeException | AssertionError e) {
      LOG.error("a callback of a log stream failed", e); // later tasks still have to run
    }
  }
}
