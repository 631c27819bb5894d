package io.gauss.jdbc.cluster;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Closes connections that are no longer needed. */
public final class Closing {
  private static final Logger LOG = Logger.getLogger("io.gauss.jdbc");

  private Closing() {}

  /** A failure is logged at FINE: the connection is gone in any case. */
  public static void quietly(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.log(Level.FINE, "a connection could not be closed", e);
    }
  }
}
