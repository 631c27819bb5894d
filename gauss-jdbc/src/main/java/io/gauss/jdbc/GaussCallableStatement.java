package io.gauss.jdbc;

import java.sql.CallableStatement;
import java.sql.SQLException;

/** A logical callable statement. Results are read from the node where it ran last. */
final class GaussCallableStatement extends DelegatingCallableStatement {
  GaussCallableStatement(GaussConnection connection, Creation creation, String sql)
      throws SQLException {
    super(connection, creation, sql);
  }

  @Override
  protected CallableStatement delegate() {
    return (CallableStatement) handle().statement;
  }

  @Override
  void register(Registration registration) throws SQLException {
    note(s -> registration.on((CallableStatement) s));
  }
}
