package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * Asks several nodes at the same time, so that all of them together take as long as the slowest
 * one. Thread-safe.
 */
final class Probes {
  private final int most;

  /**
   * @param most how many nodes are asked at the same time
   */
  Probes(int most) {
    this.most = most;
  }

  /**
   * Asks all of them, and waits until they have answered or have not.
   *
   * @param probe of one node; throws nothing but errors of the JVM's
   */
  void of(List<ClusterNode> nodes, Consumer<ClusterNode> probe) {
    Iterator<ClusterNode> left = nodes.iterator();
    int others = Math.min(most, nodes.size()) - 1; // this thread asks as well
    CountDownLatch done = new CountDownLatch(Math.max(0, others));
    for (int i = 0; i < others; i++) {
      start(
          () -> {
            try {
              askAll(left, probe);
            } finally {
              done.countDown();
            }
          },
          done);
    }
    askAll(left, probe);
    try {
      done.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void start(Runnable work, CountDownLatch done) {
    try {
      Thread thread = new Thread(work, "gauss-jdbc probe");
      thread.setDaemon(true);
      thread.start();
    } catch (OutOfMemoryError e) {
      done.countDown(); // no thread is to be had: the others ask its nodes, too
    }
  }

  private static void askAll(Iterator<ClusterNode> left, Consumer<ClusterNode> probe) {
    ClusterNode next = next(left);
    while (next != null) {
      probe.accept(next);
      next = next(left);
    }
  }

  private static ClusterNode next(Iterator<ClusterNode> left) {
    synchronized (left) {
      return left.hasNext() ? left.next() : null;
    }
  }
}
