package io.gauss.jdbc;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.text.StatementText;
import io.gauss.jdbc.text.StatementText.Control;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** The errors for applications when a physical connection breaks. */
final class Failures {
  /** A call that executes nothing that changes anything. */
  static final StatementText NO_STATEMENT = StatementText.ofCall(false, Control.NONE);

  /** A call that changes something. */
  static final StatementText SOME_STATEMENT = StatementText.ofCall(true, Control.NONE);

  static final StatementText COMMIT = StatementText.ofCall(true, Control.COMMIT);
  static final StatementText ROLLBACK = StatementText.ofCall(false, Control.ROLLBACK);

  private Failures() {}

  /** The connection itself failed, so there is no answer of the server. */
  static boolean isConnectionFailure(SQLException e) {
    return e.getSQLState() == null || e.getSQLState().startsWith("08");
  }

  /** The server itself does not know yet whether the transaction is committed. */
  static boolean isOutcomeOpen(SQLException e) {
    ServerErrorMessage said =
        e instanceof PSQLException reported ? reported.getServerErrorMessage() : null;
    String hint = said == null ? null : said.getHint();
    return hint != null && hint.contains("gauss_txn_status");
  }

  /** The server has rolled the transaction back because of conflicts with others. */
  static boolean isRolledBack(SQLException e) {
    return "40001".equals(e.getSQLState()) || "40P01".equals(e.getSQLState());
  }

  /** The connection broke, and none of the work in progress has been committed. */
  static SQLException broken(ClusterNode node, boolean inTransaction, String gone, SQLException e) {
    StringBuilder message = new StringBuilder("the connection to ").append(node).append(" is lost");
    if (!gone.isEmpty()) {
      message.append(", with ").append(gone);
    }
    message.append(
        inTransaction
            ? "; its transaction is rolled back: roll back here, too, and repeat it on this"
                + " connection, which continues with another node"
            : "; repeat the statement on this connection, which continues with another node");
    return of(message.append(" (").append(e.getMessage()).append(')').toString(), "08006", e);
  }

  /** The connection broke during a commit. */
  static SQLException unknownOutcome(ClusterNode node, boolean inTransaction, SQLException e) {
    return of(
        "the connection to "
            + node
            + " is lost, and it is not known whether the "
            + (inTransaction ? "transaction was committed" : "statement was executed")
            + ": look before you repeat it ("
            + e.getMessage()
            + ')',
        "08007",
        e);
  }

  private static SQLException of(String message, String state, SQLException e) {
    if (e instanceof BatchUpdateException batch) {
      return new BatchUpdateException(message, state, 0, batch.getLargeUpdateCounts(), e);
    }
    return state.equals("08006")
        ? new SQLTransientConnectionException(message, state, e)
        : new SQLException(message, state, e);
  }

  /** The session was pinned, and its connection ended while it was idle. */
  static SQLException pinnedLost(ClusterNode node, String gone) {
    return new SQLTransientConnectionException(
        "the connection to " + node + " is lost, with " + gone, "08006");
  }

  /** The application continues in a transaction that no longer exists. */
  static SQLException transactionIsLost(ClusterNode node) {
    return new SQLException(
        "the transaction was lost with its connection to "
            + node
            + "; roll back, and the connection can be used again",
        "25P02");
  }
}
