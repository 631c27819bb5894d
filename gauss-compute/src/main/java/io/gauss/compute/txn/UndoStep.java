package io.gauss.compute.txn;

import io.gauss.compute.log.Mtr;

/** The mark "undone down to here" that a rollback step logs together with its change. */
public interface UndoStep {
  /** Latches the segment's header page (after all other latches) and adds the mark to the MTR. */
  void append(Mtr mtr);

  /** Releases that latch; no effect when it is not held. */
  void release();
}
