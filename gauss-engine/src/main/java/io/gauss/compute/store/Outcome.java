package io.gauss.compute.store;

/** What came of an operation on the newest version of a row. */
public enum Outcome {
  /** Done; for reads: the newest version is the one that the snapshot sees. */
  OK,
  /** There is no such row any more (or there never was). */
  NOT_FOUND,
  /**
   * The newest committed version is newer than the snapshot (READ COMMITTED: evaluate the predicate
   * again on it, as it is in the out parameter; REPEATABLE READ never sees this but 40001).
   */
  CHANGED,
  /** The version given is not the newest any more: read it again. */
  STALE,
  /** Another active transaction has the row and the wait policy says not to wait. */
  LOCKED,
  /**
   * Insert: a live row with this key exists (committed, or our own); it is in the out parameter.
   */
  DUPLICATE,
  /**
   * {@code readNewest}: the own transaction has already changed or deleted the row within the same
   * statement; the row as changed is in the out parameter. UPDATE and DELETE skip it, as PostgreSQL
   * does; {@code ON CONFLICT DO UPDATE} raises 21000.
   */
  SELF
}
