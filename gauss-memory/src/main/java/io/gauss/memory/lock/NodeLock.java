package io.gauss.memory.lock;

import java.util.List;

/**
 * A node's state of a lock: the modes that it has on lease, how many of its transactions use them,
 * and its pending requests. Immutable; changed by {@link NodeLockTransitions}.
 *
 * @param leases by mode, ascending
 * @param asked unanswered requests
 */
public record NodeLock(List<Held> leases, List<Asked> asked) {
  public static final NodeLock NOTHING = new NodeLock(List.of(), List.of());

  public NodeLock {
    leases = List.copyOf(leases);
    asked = List.copyOf(asked);
  }

  /**
   * A mode on lease.
   *
   * @param number of the lease
   * @param users transactions of the node that have it
   * @param recalled 0, or the number up to which it is to be given back when no transaction uses it
   */
  public record Held(LockMode mode, long number, int users, long recalled) {}

  /** A request that was sent to the home; see {@link GlobalLock.Waiter}. */
  public record Asked(long request, LockMode mode, boolean ahead, boolean now) {}
}
