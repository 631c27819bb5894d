package io.gauss.jdbc.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reads the cluster's publications from {@code gauss.routing_publications (kind text, version
 * bigint, checksum bigint, content bytea)}. Asks for version, checksum and size first, so that
 * content that is not new, or too large, is not sent. What a role may read of a version changes
 * with its rights, and the checksum with it, also between these two questions: what counts as read
 * is what came with the content. A server without the view publishes nothing. Not thread-safe: the
 * monitor's.
 */
final class PublicationPoll {
  private static final String UNDEFINED_TABLE = "42P01";
  private static final String UNDEFINED_SCHEMA = "3F000";

  private final String kind;
  private final int maxBytes;
  private long seen;
  private long seenChecksum;

  PublicationPoll(String kind, int maxBytes) {
    this.kind = kind;
    this.maxBytes = maxBytes;
  }

  /**
   * @param tooLarge counts publications that are not fetched because of their size
   * @return content that was not returned before; null when there is none
   * @throws SQLException when the server does not answer, or the content is too large
   */
  byte[] newer(Connection connection, LongAdder tooLarge) throws SQLException {
    try (PreparedStatement versions =
        connection.prepareStatement(
            "SELECT version, octet_length(content), checksum FROM gauss.routing_publications"
                + " WHERE kind = ? ORDER BY version DESC")) {
      versions.setString(1, kind);
      try (ResultSet rs = versions.executeQuery()) {
        if (!rs.next()) {
          return null;
        }
        long version = rs.getLong(1);
        long checksum = rs.getLong(3);
        if (version < seen || version == seen && checksum == seenChecksum) {
          return null;
        }
        // Not marked as seen: the role may be granted to see it while it is still the newest.
        if (rs.getObject(2) == null) {
          return null;
        }
        // Marked as seen in any case: unusable content is not fetched every few seconds.
        final long seenBefore = seen;
        final long checksumBefore = seenChecksum;
        seen = version;
        seenChecksum = checksum;
        if (rs.getLong(2) > maxBytes) {
          tooLarge.increment();
          throw new SQLException(
              "the published "
                  + kind
                  + " has "
                  + rs.getLong(2)
                  + " bytes, more than "
                  + maxBytes
                  + " (routing.maxModelBytes)",
              "54000");
        }
        byte[] content = content(connection, version);
        if (content == null) {
          seen = seenBefore; // replaced since, or not for this role any more: it may be again
          seenChecksum = checksumBefore;
        }
        return content;
      }
    } catch (SQLException e) {
      if (UNDEFINED_TABLE.equals(e.getSQLState()) || UNDEFINED_SCHEMA.equals(e.getSQLState())) {
        return null;
      }
      throw e;
    }
  }

  private byte[] content(Connection connection, long version) throws SQLException {
    try (PreparedStatement content =
        connection.prepareStatement(
            "SELECT content, checksum FROM gauss.routing_publications"
                + " WHERE kind = ? AND version = ?")) {
      content.setString(1, kind);
      content.setLong(2, version);
      try (ResultSet rs = content.executeQuery()) {
        byte[] bytes = rs.next() ? rs.getBytes(1) : null;
        if (bytes != null) {
          seenChecksum = rs.getLong(2);
        }
        return bytes;
      }
    }
  }
}
