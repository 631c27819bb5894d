package io.gauss.simulation.cluster;

import io.gauss.common.error.SqlState;
import java.util.List;

/**
 * What a client hears of its query.
 *
 * @param rows text of the columns, separated by bars
 * @param error null when it succeeded
 * @param message of the error
 * @param connected whether the connection is still there
 */
record Answer(List<String> rows, SqlState error, String message, boolean connected) {
  /** The connection broke before an answer came. */
  static final Answer LOST =
      new Answer(List.of(), SqlState.CONNECTION_FAILURE, "the connection is lost", false);

  static Answer of(List<String> rows) {
    return new Answer(List.copyOf(rows), null, null, true);
  }

  boolean succeeded() {
    return error == null;
  }
}
