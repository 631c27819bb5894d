package io.gauss.compute.notify;

import io.gauss.common.runtime.ArrivalSet;
import io.gauss.compute.notify.wire.NotifyLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Who listens to which channel on this node. Other nodes are told classes of channels only, so that
 * what they know of a node has one size, and most LISTENs change nothing of it.
 *
 * <p>Under the lock of {@link Notifications}.
 */
final class Channels {
  private final Map<String, Set<Listener>> listeners = new HashMap<>();
  private final ArrivalSet<Listener> all = new ArrivalSet<>();
  private final int[] counts = new int[NotifyLayout.CLASSES]; // of channels with listeners
  private final long[] classes = new long[NotifyLayout.CLASSES / Long.SIZE];

  static boolean has(long[] classes, String channel) {
    int number = NotifyLayout.classOf(channel);
    return (classes[number / Long.SIZE] & 1L << number) != 0;
  }

  /** Returns whether the classes have changed. */
  boolean add(String channel, Listener listener) {
    Set<Listener> its = listeners.get(channel);
    if (its == null) {
      its = new ArrivalSet<>();
      listeners.put(channel, its);
    }
    if (!its.add(listener)) {
      return false;
    }
    all.add(listener);
    int number = NotifyLayout.classOf(channel);
    return its.size() == 1 && ++counts[number] == 1 && flip(number);
  }

  /** Returns whether the classes have changed. */
  boolean remove(String channel, Listener listener) {
    Set<Listener> its = listeners.get(channel);
    if (its == null || !its.remove(listener)) {
      return false;
    }
    if (listener.channels().isEmpty()) {
      all.remove(listener);
    }
    if (!its.isEmpty()) {
      return false;
    }
    listeners.remove(channel);
    int number = NotifyLayout.classOf(channel);
    return --counts[number] == 0 && flip(number);
  }

  private boolean flip(int number) {
    classes[number / Long.SIZE] ^= 1L << number;
    return true;
  }

  long[] classes() {
    return classes;
  }

  Iterable<Listener> of(String channel) {
    Set<Listener> its = listeners.get(channel);
    return its == null ? Set.of() : its;
  }

  /** The sessions that listen. */
  Set<Listener> all() {
    return all;
  }

  /** Number of channels with listeners. */
  int count() {
    return listeners.size();
  }
}
