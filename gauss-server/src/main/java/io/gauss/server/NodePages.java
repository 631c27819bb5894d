package io.gauss.server;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far the pages of a node that keeps them itself have followed its stream. Only the node knows
 * that: it is asked by SQL, as any user on its machine may do.
 *
 * @param applied offset up to which its pages have the stream's records
 * @param checkpointed offset up to which they are in the pages on disk
 */
record NodePages(long applied, long checkpointed) {
  private static final Logger LOG = LoggerFactory.getLogger(NodePages.class);
  private static final int TIMEOUT_SECONDS = 2;

  /** Empty when the node does not answer within two seconds, or requires a password. */
  static Optional<NodePages> ask(String host, int port, int stream) {
    String url =
        "jdbc:gauss://%s:%d/gauss?routing.mode=off&user=gauss&loginTimeout=%3$d&connectTimeout=%3$d&socketTimeout=%3$d"
            .formatted(host, port, TIMEOUT_SECONDS);
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT applied_offset, checkpoint_offset FROM gauss.streams WHERE id = ?")) {
      statement.setInt(1, stream);
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(new NodePages(row.getLong(1), row.getLong(2)))
            : Optional.empty();
      }
    } catch (SQLException e) {
      LOG.debug("{}:{} does not say how far its pages are", host, port, e);
      return Optional.empty();
    }
  }
}
