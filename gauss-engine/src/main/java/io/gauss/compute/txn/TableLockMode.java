package io.gauss.compute.txn;

/** Modes of table locks, by PostgreSQL's names; each later one excludes more. */
public enum TableLockMode {
  /** Reading rows. */
  ACCESS_SHARE,
  /** Writing or locking rows. */
  ROW_EXCLUSIVE,
  /** Excludes writers, but not readers: building an index. */
  SHARE,
  /** Excludes all others: changing or dropping the table. */
  ACCESS_EXCLUSIVE;

  /** Whether two transactions may not hold these two modes at once. */
  boolean conflictsWith(TableLockMode other) {
    return switch (this) {
      case ACCESS_SHARE -> other == ACCESS_EXCLUSIVE;
      case ROW_EXCLUSIVE -> other == SHARE || other == ACCESS_EXCLUSIVE;
      case SHARE -> other == ROW_EXCLUSIVE || other == ACCESS_EXCLUSIVE;
      case ACCESS_EXCLUSIVE -> true;
    };
  }

  /** Whether a holder of this mode needs no other lock for what {@code other} allows. */
  boolean covers(TableLockMode other) {
    return this == other || this == ACCESS_EXCLUSIVE || other == ACCESS_SHARE;
  }

  boolean isWeak() {
    return this == ACCESS_SHARE || this == ROW_EXCLUSIVE;
  }
}
