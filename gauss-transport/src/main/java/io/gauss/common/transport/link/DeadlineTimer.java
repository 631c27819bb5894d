package io.gauss.common.transport.link;

import java.util.concurrent.TimeUnit;

/** One timer for the deadlines of all messages to a node. Confined to the loop. */
final class DeadlineTimer {
  private final Loop loop;
  private final Runnable expire;
  private Loop.Timer timer;
  private long armedNanos;

  /**
   * @param expire fails late messages, and arms the timer for the rest
   */
  DeadlineTimer(Loop loop, Runnable expire) {
    this.loop = loop;
    this.expire = expire;
  }

  /** Ensures that the timer runs no later than the message's deadline. */
  void arm(Outbound message) {
    if (!message.hasDeadline() || (timer != null && armedNanos - message.deadlineNanos <= 0)) {
      return;
    }
    cancel();
    armedNanos = message.deadlineNanos;
    // Rounded up, so that it does not run just before the deadline, and handles several at once.
    long delay = Math.max(0, armedNanos - loop.nanoTime()) + TimeUnit.MILLISECONDS.toNanos(1);
    timer = loop.schedule(this::run, delay);
  }

  private void run() {
    timer = null;
    expire.run();
  }

  void cancel() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
