package io.gauss.compute.txn.undo;

import io.gauss.compute.mtr.EngineContext;

/**
 * Restores what one undo record describes; implemented above by the layer that wrote the record's
 * content.
 */
public interface UndoApplier {
  /**
   * Undoes one record in one MTR, which also carries {@code step.append(mtr)} as its last record,
   * so that a crash resumes after it (rule 23). May wait for pages before it latches.
   *
   * @param page page of the undo record, which a leaf's undo pointer names
   * @param slot slot of the undo record
   * @param record the whole undo record, chain header included; valid during the call
   * @param step the progress mark; {@code step.release()} belongs into the finally block of the MTR
   * @return false when nothing had to change (no MTR was committed): the caller logs the progress
   *     itself
   */
  boolean undo(
      EngineContext ctx, long xid, int page, int slot, byte[] record, int length, UndoStep step);
}
