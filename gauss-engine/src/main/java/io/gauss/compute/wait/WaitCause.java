package io.gauss.compute.wait;

/** What a session waits for, as reported for slow statements and in views. */
public enum WaitCause {
  /** The end of a transaction that wrote a row. */
  ROW,
  /** A table lock. */
  TABLE,
  /** An advisory lock. */
  ADVISORY,
  /** A page from storage, or a free page frame. */
  PAGE,
  /** Durability, or room in the log. */
  LOG,
  /** An answer of another compute node, or of a memory node. */
  NODE,
  /** The right to take snapshots: other nodes have not answered for too long. */
  CLOCK,
  /** Time, because the statement requests it. */
  SLEEP
}
