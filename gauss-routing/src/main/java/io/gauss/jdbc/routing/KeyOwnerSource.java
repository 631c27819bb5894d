package io.gauss.jdbc.routing;

import java.sql.SQLException;

/** Tells which nodes have the rows of keys, as the server's {@code gauss_key_owners} does. */
@FunctionalInterface
public interface KeyOwnerSource {
  /**
   * The nodes of the keys around one.
   *
   * @param table its name in double quotes
   * @param column its name; {@code #1} = the table's first one
   * @param value of the column, as text
   * @return ranges of values in the function's format; null when the column's values do not tell
   *     where rows are
   * @throws SQLException when the server does not answer, or does not tell
   */
  String owners(String table, String column, String value) throws SQLException;
}
