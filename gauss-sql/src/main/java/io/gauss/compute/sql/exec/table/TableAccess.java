package io.gauss.compute.sql.exec.table;

import io.gauss.compute.sql.state.SystemState;

/** Where operators get tables from: the catalog's side of the executor. */
public interface TableAccess {
  /**
   * The table as of the schema version that the statement was planned with. Handles are shared and
   * cheap to get; the table lock is the session's business and is held already.
   */
  TableHandle open(int tableOid);

  /** What system tables are made of; only sessions have it. */
  default SystemState system() {
    throw new IllegalStateException("system tables are read by sessions only");
  }
}
