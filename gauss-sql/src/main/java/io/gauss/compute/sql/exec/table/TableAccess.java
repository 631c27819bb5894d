package io.gauss.compute.sql.exec.table;

import io.gauss.compute.sql.state.SystemState;

/** Provides tables to operators: the catalog's side of the executor. */
public interface TableAccess {
  /**
   * The table as of the schema version that the statement was planned with. Handles are shared and
   * cheap to get; the session already holds the table lock.
   */
  TableHandle open(int tableOid);

  /** The state from which rows of system tables are generated; only sessions have it. */
  default SystemState system() {
    throw new IllegalStateException("system tables are read by sessions only");
  }
}
