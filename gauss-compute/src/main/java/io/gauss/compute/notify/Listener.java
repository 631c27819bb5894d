package io.gauss.compute.notify;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * A session that listens, and the notifications that wait for it. All of it but {@link #hasSome} is
 * under the lock of {@link Notifications}.
 */
public final class Listener {
  /** Begins to listen: nothing is for it yet. */
  static final long NOT_YET = Long.MAX_VALUE;

  private final IntSupplier pid;
  private final Runnable wake;

  /**
   * Its channels, each with the clock of the moment from which on it listens: transactions with a
   * CSN above that are for it, and those at or below are seen by the snapshots that it takes later.
   */
  private final Map<String, Long> channels = new LinkedHashMap<>();

  private final ArrayDeque<Held> inbox = new ArrayDeque<>();
  private volatile boolean hasSome;

  /** A notification that waits for sessions. */
  static final class Held {
    final Notification notification;
    int listeners;

    Held(Notification notification) {
      this.notification = notification;
    }
  }

  /**
   * @param pid number of the session
   * @param wake called when something begins to wait for it, on any thread; must not wait
   */
  public Listener(IntSupplier pid, Runnable wake) {
    this.pid = pid;
    this.wake = wake;
  }

  /** Whether notifications wait for it. Any thread. */
  public boolean hasSome() {
    return hasSome;
  }

  int pid() {
    return pid.getAsInt();
  }

  Map<String, Long> channels() {
    return channels;
  }

  int waiting() {
    return inbox.size();
  }

  void add(Held held) {
    inbox.add(held);
    if (!hasSome) {
      hasSome = true;
      wake.run();
    }
  }

  /** Null when there is none. */
  Held poll() {
    Held next = inbox.poll();
    hasSome = !inbox.isEmpty();
    return next;
  }
}
