package io.gauss.compute.txn.undo;

import io.gauss.compute.mtr.Mtr;

/** The mark "undone down to here" that a rollback step logs together with its change. */
public interface UndoStep {
  /** Before latches, for each attempt: makes the header page available. May wait. */
  void ready();

  /**
   * Latches the segment's header page (after all other latches) and adds the mark to the MTR.
   *
   * @throws io.gauss.compute.buffer.PageAwayException when another node reads it: start over
   */
  void append(Mtr mtr);

  /** Releases that latch, if it is held, and whatever {@link #ready} has acquired. */
  void release();
}
