package io.gauss.simulation.cluster;

import io.gauss.common.error.SqlState;
import java.util.List;

/**
 * What a client hears of its query.
 *
 * @param rows text of the columns, separated by bars
 * @param tag of the last command that was complete, as {@code UPDATE 1}; null when none was
 * @param error null when it succeeded
 * @param message of the error
 * @param connected whether the connection is still there
 */
record Answer(List<String> rows, String tag, SqlState error, String message, boolean connected) {
  /** The connection broke before an answer came. */
  static final Answer LOST = failed(SqlState.CONNECTION_FAILURE, "the connection is lost", false);

  static Answer of(List<String> rows, String tag) {
    return new Answer(List.copyOf(rows), tag, null, null, true);
  }

  static Answer failed(SqlState error, String message, boolean connected) {
    return new Answer(List.of(), null, error, message, connected);
  }

  boolean succeeded() {
    return error == null;
  }

  /** What a client would see of it. */
  @Override
  public String toString() {
    return succeeded()
        ? rows.isEmpty() ? String.valueOf(tag) : rows.toString()
        : error + " " + message + (connected ? "" : " (end)");
  }
}
