package io.gauss.compute.wait;

/** What a session waits for, as far as slow statements or views tell it. */
public enum WaitCause {
  /** The end of a transaction that wrote a row. */
  ROW,
  /** A table lock. */
  TABLE,
  /** A page from storage, or a free page frame. */
  PAGE,
  /** Durability, or room in the log. */
  LOG,
  /** An answer of another compute node, or of a memory node. */
  NODE,
  /** That this node may take snapshots: it has not heard of others for too long. */
  CLOCK,
  /** Time, because the statement says so. */
  SLEEP
}
