package io.gauss.compute.txn;

import io.gauss.common.id.LamportClock;
import io.gauss.compute.txn.undo.SnapshotRegistry;

/**
 * A clock value: sees what committed at or below it, and what the own transaction wrote before the
 * statement began.
 *
 * <p>Reused: it has a slot of the {@link SnapshotRegistry} for its life and registers in it while
 * it is open. Used by one thread at a time. Rule 7: a lower bound is registered first, then the
 * clock is read, so that purge never takes a horizon above a snapshot that is just being made.
 */
public final class Snapshot {
  private final SnapshotRegistry registry;
  private final int slot;
  private long lsn;
  private long ownLsn;

  Snapshot(SnapshotRegistry registry) {
    this.registry = registry;
    this.slot = registry.takeSlot();
  }

  /** The clock value. */
  public long lsn() {
    return lsn;
  }

  /**
   * The clock when the current statement began: of the own transaction's writes, the statement sees
   * those at or below it, so that it never sees its own.
   */
  long ownLsn() {
    return ownLsn;
  }

  boolean isOpen() {
    return lsn != 0;
  }

  /** Registers and reads the clock. */
  void open(LamportClock clock) {
    registry.register(slot, clock.now());
    long now = clock.now();
    lsn = now;
    ownLsn = now;
  }

  /** A new statement under the same snapshot: sees the own writes so far. */
  void advanceOwn(LamportClock clock) {
    ownLsn = clock.now();
  }

  /** Sees the own writes up to an LSN only: for cursors, whose statement began earlier. */
  void set(long snapshotLsn, long ownWritesLsn) {
    registry.register(slot, snapshotLsn);
    lsn = snapshotLsn;
    ownLsn = ownWritesLsn;
  }

  /** Stops holding purge back. */
  void close() {
    if (lsn != 0) {
      lsn = 0;
      registry.clear(slot);
    }
  }

  void giveUpSlot() {
    close();
    registry.giveSlot(slot);
  }
}
