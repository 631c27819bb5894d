package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/** What clients are told of a forwarded transaction that is lost with its node (rule 39). */
final class LossErrors {
  private LossErrors() {}

  /** The connection to the node is gone. */
  static GaussException ofNode(int slot) {
    return new GaussException(
        SqlState.CONNECTION_FAILURE,
        "the compute node in slot %d, which had the transaction, is lost".formatted(slot));
  }

  /** So is what exists there only. */
  static GaussException ofObjects(int slot) {
    return new GaussException(
        SqlState.CONNECTION_FAILURE,
        "temporary tables, cursors or locks of the session are lost with the compute node in slot %d"
            .formatted(slot));
  }

  /** Whether the session was ended for what its client does, and would be here as well. */
  static boolean isForWhatItDoes(GaussException why) {
    return why.state() == SqlState.IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        || why.state() == SqlState.TRANSACTION_TIMEOUT;
  }

  /**
   * The error of a transaction that was lost with its node before its end was sent: it is rolled
   * back for sure, and may be repeated, with the same session.
   */
  static GaussException rolledBack(GaussException why) {
    return isForWhatItDoes(why)
        ? why
        : new GaussException(
                SqlState.SERIALIZATION_FAILURE,
                "the transaction is rolled back: " + why.getMessage(),
                why)
            .hint("The transaction might succeed if retried.");
  }

  /** The error of one of which a commit may be on its way. */
  static GaussException unknown(GaussException why) {
    return new GaussException(
        SqlState.TRANSACTION_RESOLUTION_UNKNOWN,
        "it is not known whether the transaction was committed: " + why.getMessage(),
        why);
  }
}
