package io.gauss.storage.raft;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Closes several nodes at the same time: a Raft log takes up to a second to close, and mostly
 * waits.
 */
public final class Together {
  private Together() {}

  /** Runs all actions, each on its own thread, and fails with the first failure. */
  public static void run(List<Runnable> actions) {
    if (actions.isEmpty()) {
      return;
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(actions.size())) {
      List<Future<?>> running = new ArrayList<>();
      actions.forEach(action -> running.add(threads.submit(action)));
      for (Future<?> each : running) {
        each.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }
}
