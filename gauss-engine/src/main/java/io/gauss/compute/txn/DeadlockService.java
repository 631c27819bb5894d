package io.gauss.compute.txn;

/**
 * The only deadlock detector of the cluster, as a node with waits reaches it: in this process, or
 * on another node. Nothing waits; {@link WaitMembers} gets the result of a report. Thread-safe.
 */
interface DeadlockService {
  /**
   * A wait has lasted for the check time, or still does. See {@code DeadlockTable.report} for the
   * parameters.
   */
  void report(long waiter, long wait, long age, long[] holders, String who, String what);

  /** A wait that was reported is over. */
  void over(long waiter, long wait);
}
