package io.gauss.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** How a statement is made on a physical connection. */
@FunctionalInterface
interface Creation {
  Statement on(Connection physical) throws SQLException;
}
