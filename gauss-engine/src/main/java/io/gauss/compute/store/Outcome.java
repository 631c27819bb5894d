package io.gauss.compute.store;

/** The outcome of an operation on the newest version of a row. */
public enum Outcome {
  /** Done; for reads: the newest version is the one that the snapshot sees. */
  OK,
  /** There is no such row any more (or there never was). */
  NOT_FOUND,
  /**
   * The newest committed version is newer than the snapshot (READ COMMITTED: evaluate the predicate
   * again on it, as it is in the out parameter; REPEATABLE READ gets 40001 instead).
   */
  CHANGED,
  /** The given version is no longer the newest: read it again. */
  STALE,
  /** Another active transaction has the row and the wait policy forbids waiting. */
  LOCKED,
  /**
   * Insert: a live row with this key exists (committed, or our own); it is in the out parameter.
   */
  DUPLICATE,
  /**
   * {@code readNewest}: this transaction has already changed or deleted the row within the same
   * statement; the changed row is in the out parameter. UPDATE and DELETE skip it, as PostgreSQL
   * does; {@code ON CONFLICT DO UPDATE} raises 21000.
   */
  SELF
}
