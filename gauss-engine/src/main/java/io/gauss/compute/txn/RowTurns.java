package io.gauss.compute.txn;

import java.util.ArrayList;
import java.util.List;

/**
 * A transaction's turns in queues for rows, all for the same row, oldest first. One thread at a
 * time, the transaction's.
 */
final class RowTurns {
  private final List<LockWaits.Turn> turns = new ArrayList<>(2);
  private boolean metWriter;
  private boolean patient;
  private long patientRow;

  /** The transaction is the first in a row's queue. */
  void add(LockWaits.Turn turn) {
    turns.add(turn);
  }

  /**
   * A wait for a row is over.
   *
   * @param wasActive whether there was a transaction to wait for
   */
  void waited(boolean wasActive) {
    metWriter = wasActive;
  }

  /** Whether the last wait for a row was for an active transaction. */
  boolean metWriter() {
    return metWriter;
  }

  /** A wait for the row took long and ended without a turn. */
  void waitedLong(long row) {
    patient = true;
    patientRow = row;
  }

  /**
   * How often others were preferred while this transaction waited for the row for which it has a
   * turn; {@link RowQueues#NEW} when it has none.
   */
  int passedBy() {
    int most = patient ? RowQueues.PASSED_BY : RowQueues.NEW;
    for (LockWaits.Turn turn : turns) {
      most = Math.max(most, turn.passedBy());
    }
    return most;
  }

  /** The row that was waited for will not be written: the next waiter in the queue may continue. */
  void pass() {
    patient = false;
    if (!turns.isEmpty()) {
      turns.forEach(LockWaits.Turn::leave);
      turns.clear();
    }
  }

  /** The row that was waited for is written: others of this node wait for it here from now on. */
  void written(LockWaits waits) {
    if (!turns.isEmpty()) {
      // Before the next waiter of another queue gets the turn: that should be one of another node.
      waits.writtenHere(turns.getFirst().row());
    }
    pass();
  }

  /** About to wait: turns for that row are kept, since it is still to be written. */
  void passUnless(long row) {
    if (turns.isEmpty() ? patient && patientRow != row : turns.getFirst().row() != row) {
      pass();
    }
  }
}
