package io.gauss.memory.lock;

import java.util.List;

/**
 * The state of a lock at its home: which nodes have which modes on lease, and which wait.
 * Immutable.
 *
 * <p>A lease lets a node give the mode to its own transactions without a request. The node keeps it
 * until it gives it back, which the home demands when another node requests a conflicting mode.
 * Conflicts within a node are resolved by the node: leases of one node never conflict here.
 *
 * <p>Invariant: leases of different nodes do not conflict, except that a recoverer's leases may
 * conflict with those of the dead node that it recovers. Nodes are identified by their epochs, so a
 * node that restarts is a different one.
 *
 * @param leases in the order in which they were given
 * @param waiting in order of arrival
 * @param number of the last lease granted; rises
 */
public record GlobalLock(List<Lease> leases, List<Waiter> waiting, long number) {
  /** A lock without leases and waiters. */
  public static final GlobalLock FREE = new GlobalLock(List.of(), List.of(), 0);

  public GlobalLock {
    leases = List.copyOf(leases);
    waiting = List.copyOf(waiting);
  }

  /**
   * A mode on lease.
   *
   * @param epoch of the node
   * @param number of the lease, so that the release of an earlier lease does not end this one
   * @param recalled true when the node was asked to give it back
   * @param orphan true when the node is dead and its changes are not rolled back yet
   * @param heir epoch of the node that rolls it back, 0 = none yet
   */
  public record Lease(
      int epoch, LockMode mode, long number, boolean recalled, boolean orphan, int heir) {
    Lease asRecalled(boolean asked) {
      return new Lease(epoch, mode, number, asked, orphan, heir);
    }

    Lease asOrphan(int newHeir) {
      return new Lease(epoch, mode, number, recalled, true, newHeir);
    }

    /** Whether this lease excludes the mode for the node of this epoch. */
    boolean excludes(int other, LockMode wanted) {
      return epoch != other && !(orphan && heir == other) && mode.conflictsWith(wanted);
    }
  }

  /**
   * A node's request for a mode.
   *
   * @param epoch of the node
   * @param request the node's number for it
   * @param ahead of the other waiters: for a transaction that has another mode of this lock, for
   *     which they may be waiting
   * @param now true when it is granted now or not at all, and waits only for what is not known yet
   * @param unheard in that case, epochs of the nodes that have not yet confirmed that they need
   *     their leases, ascending
   */
  record Waiter(
      int epoch, long request, LockMode mode, boolean ahead, boolean now, List<Integer> unheard) {
    Waiter {
      unheard = List.copyOf(unheard);
    }

    Waiter heard(int node) {
      return new Waiter(
          epoch, request, mode, ahead, now, unheard.stream().filter(one -> one != node).toList());
    }
  }

  /** True when there is nothing to remember. Numbers start again then, which is harmless. */
  public boolean isFree() {
    return leases.isEmpty() && waiting.isEmpty();
  }
}
