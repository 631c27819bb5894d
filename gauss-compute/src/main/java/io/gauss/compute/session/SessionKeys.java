package io.gauss.compute.session;

import java.security.SecureRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Numbers of sessions, which clients see as process ids, and the sessions by number.
 *
 * <p>In a cluster a number identifies the compute node: its slot times {@value #PER_SLOT}, plus a
 * number among the node's sessions; 20000017 is a session of slot 2. So a request about a session
 * may be sent to any node. A node without a cluster counts from 1. Thread-safe.
 */
final class SessionKeys {
  /**
   * In decimal, so that people can read the slot; numbers of 63 slots fit into the range that
   * clients accept.
   */
  static final int PER_SLOT = 10_000_000;

  private final int slot;
  private final ConcurrentHashMap<Integer, Session> sessions = new ConcurrentHashMap<>();
  private final AtomicInteger next = new AtomicInteger();
  private final SecureRandom random = new SecureRandom();

  /**
   * @param slot of this node; 0 = without a cluster
   */
  SessionKeys(int slot) {
    this.slot = slot;
  }

  /** The slot of the session with this number; 0 without a cluster. */
  static int slotOf(int number) {
    return number / PER_SLOT;
  }

  /** Whether a session with this number, if it exists, is on this node. */
  boolean isOwn(int number) {
    return slotOf(number) == slot;
  }

  /** Returns the session's number, unique among those that are open. */
  int register(Session session) {
    while (true) {
      int among = next.updateAndGet(last -> last + 1 < PER_SLOT ? last + 1 : 1);
      int number = slot * PER_SLOT + among;
      if (sessions.putIfAbsent(number, session) == null) {
        return number;
      }
    }
  }

  void remove(int number) {
    sessions.remove(number);
  }

  /** Null when there is none. */
  Session find(int number) {
    return sessions.get(number);
  }

  int newSecret() {
    return random.nextInt();
  }
}
