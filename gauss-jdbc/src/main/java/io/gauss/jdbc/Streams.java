package io.gauss.jdbc;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/**
 * Parameters given as streams. Text is read when it is given, as in pgjdbc; binary streams, which
 * may be large, are read when the statement is sent, and therefore only once.
 */
final class Streams {
  private Streams() {}

  /** Whether the value can be read only once. */
  static boolean isReadOnce(Object value) {
    return value instanceof InputStream
        || value instanceof Reader
        || value instanceof Blob
        || value instanceof Clob;
  }

  /**
   * At most {@code most} characters; all if it is negative. Null stays null.
   *
   * @throws SQLException 22023 when there are fewer
   */
  static String read(Reader reader, long most) throws SQLException {
    if (reader == null) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    char[] buffer = new char[4096];
    try {
      while (most < 0 || text.length() < most) {
        int want = most < 0 ? buffer.length : (int) Math.min(buffer.length, most - text.length());
        int got = reader.read(buffer, 0, want);
        if (got < 0) {
          break;
        }
        text.append(buffer, 0, got);
      }
    } catch (IOException e) {
      throw new SQLException("a parameter's characters could not be read", "22023", e);
    }
    return text.toString();
  }

  /** The same for bytes. */
  static byte[] read(InputStream stream, long most) throws SQLException {
    if (stream == null) {
      return null;
    }
    try {
      return most < 0
          ? stream.readAllBytes()
          : stream.readNBytes((int) Math.min(most, Integer.MAX_VALUE - 8));
    } catch (IOException e) {
      throw new SQLException("a parameter's bytes could not be read", "22023", e);
    }
  }

  static void setText(PreparedStatement statement, int index, String text) throws SQLException {
    if (text == null) {
      statement.setNull(index, Types.VARCHAR);
    } else {
      statement.setCharacterStream(index, new StringReader(text), text.length());
    }
  }

  static void setAscii(PreparedStatement statement, int index, byte[] bytes) throws SQLException {
    if (bytes == null) {
      statement.setNull(index, Types.VARCHAR);
    } else {
      statement.setAsciiStream(index, new ByteArrayInputStream(bytes), bytes.length);
    }
  }

  static void setUnicode(PreparedStatement statement, int index, byte[] bytes) throws SQLException {
    setText(statement, index, bytes == null ? null : new String(bytes, StandardCharsets.UTF_8));
  }
}
