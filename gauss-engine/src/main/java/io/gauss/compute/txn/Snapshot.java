package io.gauss.compute.txn;

import io.gauss.common.id.LamportClock;
import io.gauss.compute.txn.undo.SnapshotRegistry;

/**
 * A clock value: sees commits at or below it, and the writes of its own transaction before the
 * statement began.
 *
 * <p>Reused: it has a slot of the {@link SnapshotRegistry} for its life and registers in it while
 * it is open. Used by one thread at a time. Rule 7: a lower bound is registered first, then the
 * clock is read, so that purge never uses a horizon above a snapshot that is being taken.
 */
public final class Snapshot {
  private final SnapshotRegistry registry;
  private final int slot;
  private long lsn;
  private long ownLsn;
  private long number;

  Snapshot(SnapshotRegistry registry) {
    this.registry = registry;
    this.slot = registry.takeSlot();
  }

  /** The clock value. */
  public long lsn() {
    return lsn;
  }

  /**
   * The clock when the current statement began: the statement sees its transaction's writes at or
   * below it, and so never sees its own.
   */
  long ownLsn() {
    return ownLsn;
  }

  boolean isOpen() {
    return lsn != 0;
  }

  /**
   * Which snapshot of its transaction this is; 0 when it is not open. The clock value does not tell
   * that: it stays while nothing is written.
   */
  long number() {
    return number;
  }

  /**
   * Registers and reads the clock.
   *
   * @param isNumber of this snapshot, higher than those before
   */
  void open(LamportClock clock, long isNumber) {
    registry.register(slot, clock.now());
    long now = clock.now();
    lsn = now;
    ownLsn = now;
    number = isNumber;
  }

  /** A new statement under the same snapshot: sees its transaction's writes so far. */
  void advanceOwn(LamportClock clock) {
    ownLsn = clock.now();
  }

  /**
   * Sees its transaction's writes only up to an LSN: for cursors, whose statement began earlier.
   *
   * @param isNumber of the snapshot that it is a copy of
   */
  void set(long snapshotLsn, long ownWritesLsn, long isNumber) {
    registry.register(slot, snapshotLsn);
    lsn = snapshotLsn;
    ownLsn = ownWritesLsn;
    number = isNumber;
  }

  /** Stops holding purge back. */
  void close() {
    if (lsn != 0) {
      lsn = 0;
      number = 0;
      registry.clear(slot);
    }
  }

  void giveUpSlot() {
    close();
    registry.giveSlot(slot);
  }
}
