package io.gauss.compute.sql.copy;

/**
 * Progress of a COPY. Written by the thread that runs it, read by others without a lock, so their
 * values may be slightly old.
 *
 * @see io.gauss.compute.sql.state.SystemState
 */
public final class CopyProgress {
  /** Oid of the table, 0 when a query is copied. */
  public final int tableOid;

  public final boolean from;

  /** Bytes read or written so far. */
  public long bytes;

  /** Rows read or written so far. */
  public long rows;

  /** Rows that WHERE has left out so far. */
  public long excluded;

  public CopyProgress(int tableOid, boolean from) {
    this.tableOid = tableOid;
    this.from = from;
  }
}
