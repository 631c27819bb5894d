package io.gauss.compute.txn;

/** This node's waits, as the deadlock detector knows them. Thread-safe; nothing waits. */
interface WaitMembers {
  /** Whether the wait continues. */
  boolean stands(long waiter, long wait);

  /**
   * The wait closes a cycle, and its transaction is the victim; no effect when the wait is over.
   */
  void choose(long waiter, long wait, String detail);
}
