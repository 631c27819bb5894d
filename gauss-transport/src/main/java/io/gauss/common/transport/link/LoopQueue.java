package io.gauss.common.transport.link;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Hands items from any thread to a loop, in order, with one wake-up for all gathered items: many
 * small messages become one write to the socket.
 *
 * <p>Invariant: an offered item is either taken on the loop or, once the loop has ended, rejected,
 * and never lost. The holder of {@code scheduled} is the only consumer.
 */
final class LoopQueue<T> {
  private final Loop loop;
  private final Consumer<T> take;
  private final Runnable afterBatch;
  private final Consumer<T> reject;
  private final Queue<T> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final Runnable drain = this::drain;

  /**
   * @param take called on the loop for each item
   * @param afterBatch called on the loop when there are no more
   * @param reject called on any thread for items that were offered after the loop's end
   */
  LoopQueue(Loop loop, Consumer<T> take, Runnable afterBatch, Consumer<T> reject) {
    this.loop = loop;
    this.take = take;
    this.afterBatch = afterBatch;
    this.reject = reject;
  }

  void offer(T item) {
    queue.offer(item);
    wake();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  private void wake() {
    while (scheduled.compareAndSet(false, true)) {
      try {
        loop.execute(drain);
        return;
      } catch (RejectedExecutionException e) {
        T item;
        while ((item = queue.poll()) != null) {
          reject.accept(item);
        }
        scheduled.set(false);
        if (queue.isEmpty()) {
          return;
        }
      }
    }
  }

  private void drain() {
    T item;
    while ((item = queue.poll()) != null) {
      take.accept(item);
    }
    afterBatch.run();
    scheduled.set(false);
    if (!queue.isEmpty()) {
      // An item was offered between the last poll and the line above, by a thread that saw a
      // scheduled drain.
      wake();
    }
  }
}
