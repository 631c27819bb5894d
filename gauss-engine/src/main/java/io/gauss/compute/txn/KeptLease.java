package io.gauss.compute.txn;

import java.util.List;

/**
 * A lock of which another node wants a lease back that this node keeps, for the reports of who is
 * to blame; see {@link NodeLocks}. Thread-safe.
 */
interface KeptLease {
  /**
   * Those who keep others from a mode of the lock.
   *
   * @param number wait number that stands for them
   * @param holders their wait numbers
   * @param what for the detail of a deadlock report
   */
  record Mode(long number, long[] holders, String what) {}

  /** Whether a lease is still to be given back. */
  boolean isStillWatched();

  /** Rises whenever somebody may have given the lock up before the end of a transaction. */
  long changes();

  /**
   * Who keeps it now, by mode.
   *
   * @param slot of this node
   */
  List<Mode> modes(int slot);
}
