package io.gauss.memory.lock;

import java.util.List;

/**
 * What a node knows of a lock: the modes that it has on lease, how many of its transactions use
 * them, and what it has asked for. Immutable; changed by {@link NodeLockTransitions}.
 *
 * @param leases by mode, ascending
 * @param asked requests that are not answered
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
   * @param recalled 0, or up to which number it is to be given back when nobody uses it
   */
  public record Held(LockMode mode, long number, int users, long recalled) {}

  /** A request that was sent to the home; see {@link GlobalLock.Waiter}. */
  public record Asked(long request, LockMode mode, boolean ahead) {}
}
