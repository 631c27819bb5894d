package io.gauss.compute.buffer;

import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Hands messages over with random delays, those from one node to another in the order in which they
 * were sent. Slot 0 is the home.
 */
public final class DelayedLinks implements AutoCloseable {
  private final long maxNanos;
  private final long seed;
  private final Map<Integer, Link> links = new ConcurrentHashMap<>();

  private DelayedLinks(long maxNanos, long seed) {
    this.maxNanos = maxNanos;
    this.seed = seed;
  }

  private record Link(ExecutorService thread, Random random) {}

  /** Hands over at once, on the sender's thread. */
  static DelayedLinks none() {
    return new DelayedLinks(0, 0);
  }

  /** Most messages are hardly delayed, some by up to the time given. */
  public static DelayedLinks upTo(long maxNanos, long seed) {
    return new DelayedLinks(maxNanos, seed);
  }

  void send(int from, int to, Runnable delivery) {
    if (maxNanos == 0) {
      delivery.run();
      return;
    }
    Link link =
        links.computeIfAbsent(
            from << 8 | to,
            key -> new Link(Executors.newSingleThreadExecutor(), new Random(seed ^ key)));
    try {
      link.thread.execute(
          () -> {
            if (link.random.nextInt(4) == 0) {
              LockSupport.parkNanos(link.random.nextLong(maxNanos));
            }
            delivery.run();
          });
    } catch (RejectedExecutionException e) {
      // The cluster is being closed: what is under way is lost.
      return;
    }
  }

  @Override
  public void close() {
    links.values().forEach(link -> link.thread.shutdownNow());
  }
}
