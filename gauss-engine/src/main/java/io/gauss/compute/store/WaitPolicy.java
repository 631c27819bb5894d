package io.gauss.compute.store;

/** What to do when another active transaction has written or locked the row. */
public enum WaitPolicy {
  /** Wait for its end, bounded by lock_timeout and deadlock detection. */
  WAIT,
  /**
   * {@code NOWAIT} and {@code SKIP LOCKED}: answer {@link Outcome#LOCKED}; the caller raises 55P03
   * or skips.
   */
  NO_WAIT
}
