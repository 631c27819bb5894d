package io.gauss.compute.session;

import io.gauss.compute.sql.exec.spill.KeptRows;

/**
 * DECLARE CURSOR's additions to a portal: the position, and the rows of a kept result. A cursor
 * without SCROLL streams: rows are computed as they are fetched. One with SCROLL keeps its whole
 * result from the first FETCH on, one WITH HOLD the rest of it from its transaction's commit on.
 * Belongs to the session.
 */
final class SqlCursor {
  final boolean scroll;
  final boolean hold;

  /** Text of the statement that declared it. */
  final String text;

  /** µs since 2000-01-01 UTC. */
  final long created;

  /** Null while it streams. */
  KeptRows rows;

  /** Rows of the result that come before the first of {@link #rows}. */
  long base;

  /**
   * The current row, from 1; 0 = before the first; one more than the number of rows = after the
   * last.
   */
  long position;

  /** Whether a FETCH has failed. */
  boolean failed;

  /** Whether its transaction has committed, so that it lives as long as the session. */
  boolean held;

  SqlCursor(boolean scroll, boolean hold, String text, long created) {
    this.scroll = scroll;
    this.hold = hold;
    this.text = text;
    this.created = created;
  }

  void close() {
    if (rows != null) {
      rows.close();
      rows = null;
    }
  }
}
