package io.gauss.compute.txn;

import java.util.ArrayList;
import java.util.List;

/**
 * Where a transaction goes first: its turns in queues for rows, all for the same row, oldest first.
 * One thread at a time, the transaction's.
 */
final class RowTurns {
  private final List<LockWaits.Turn> turns = new ArrayList<>(2);

  /** The transaction is the first in a row's queue. */
  void add(LockWaits.Turn turn) {
    turns.add(turn);
  }

  /** The row that was waited for is written, or will not be: the next one in the queue may go. */
  void pass() {
    if (!turns.isEmpty()) {
      turns.forEach(LockWaits.Turn::leave);
      turns.clear();
    }
  }

  /** About to wait: turns for that row are kept, since it is still to be written. */
  void passUnless(long row) {
    if (!turns.isEmpty() && turns.getFirst().row() != row) {
      pass();
    }
  }
}
