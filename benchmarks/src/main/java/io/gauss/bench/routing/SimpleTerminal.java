package io.gauss.bench.routing;

import io.gauss.bench.Workload;
import io.gauss.bench.routing.RoutedWorkload.UnitHint;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.SplittableRandom;

/** A terminal of a load with a single kind of transaction. */
final class SimpleTerminal implements Workload.Terminal {
  /** Runs the statements of a transaction. */
  @FunctionalInterface
  interface Transaction {
    /**
     * @param hint is told the unit before the first statement
     */
    void run(ClientStatements statements, SplittableRandom random, UnitHint hint)
        throws SQLException;
  }

  private final Connection connection;
  private final ClientStatements statements;
  private final SplittableRandom random;
  private final UnitHint hint;
  private final Transaction transaction;

  SimpleTerminal(
      Connection connection, SplittableRandom random, UnitHint hint, Transaction transaction)
      throws SQLException {
    connection.setAutoCommit(false);
    this.connection = connection;
    this.statements = new ClientStatements(connection);
    this.random = random;
    this.hint = hint;
    this.transaction = transaction;
  }

  @Override
  public int runOne() throws SQLException {
    transaction.run(statements, random, hint);
    connection.commit();
    return 0;
  }

  @Override
  public int currentKind() {
    return 0;
  }
}
