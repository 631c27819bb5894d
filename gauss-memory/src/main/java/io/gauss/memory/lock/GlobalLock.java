package io.gauss.memory.lock;

import java.util.List;

/**
 * What the home of a lock knows: which nodes have which modes on lease, and who waits. Immutable.
 *
 * <p>A lease lets a node give the mode to its own transactions without asking. A node has it until
 * it gives it back, which it is asked to do when another node wants what conflicts with it. What
 * happens within a node is the node's business: leases of one node never conflict here.
 *
 * <p>Invariant: leases of different nodes do not conflict, but for those that a recoverer has
 * beside those of the dead node that it recovers. Nodes are named by their epochs, so that a node
 * that comes back is another one.
 *
 * @param leases in the order in which they were given
 * @param waiting first come first
 * @param number of the last lease given; rises
 */
public record GlobalLock(List<Lease> leases, List<Waiter> waiting, long number) {
  /** Nobody has it and nobody wants it. */
  public static final GlobalLock FREE = new GlobalLock(List.of(), List.of(), 0);

  public GlobalLock {
    leases = List.copyOf(leases);
    waiting = List.copyOf(waiting);
  }

  /**
   * A mode on lease.
   *
   * @param epoch of the node
   * @param number given with it, so that giving back an earlier one does not count for it
   * @param recalled the node was asked to give it back
   * @param orphan the node is dead; what it has changed is not rolled back yet
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

    /** Whether the node of this epoch cannot have that mode because of this lease. */
    boolean excludes(int other, LockMode wanted) {
      return epoch != other && !(orphan && heir == other) && mode.conflictsWith(wanted);
    }
  }

  /**
   * A node's wish for a mode.
   *
   * @param epoch of the node
   * @param request the node's number for it
   * @param ahead of those who wait: for a transaction that has another mode of this lock, for which
   *     they may be waiting
   */
  record Waiter(int epoch, long request, LockMode mode, boolean ahead) {}

  /** True when there is nothing to remember. Numbers begin again then, which harms nobody. */
  public boolean isFree() {
    return leases.isEmpty() && waiting.isEmpty();
  }
}
