package io.gauss.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;

/**
 * A prepared statement that records its parameters, so that they can be set again on another node,
 * and delegates everything else.
 */
abstract class DelegatingPreparedStatement extends GaussStatement implements PreparedStatement {
  DelegatingPreparedStatement(GaussConnection connection, Creation creation) throws SQLException {
    super(connection, creation);
  }

  @Override
  protected abstract PreparedStatement delegate();

  /**
   * Sets a parameter now, and again on each node where the statement runs.
   *
   * @param value as the application gave it, for routing
   */
  abstract void bind(int index, Object value, Binding binding) throws SQLException;

  /**
   * The same for a value that can be read only once: it is not read before the statement's node is
   * known.
   */
  abstract void bindLate(int index, Object value, Binding binding) throws SQLException;

  /** Sets a parameter. */
  @FunctionalInterface
  interface Binding {
    void set(PreparedStatement statement) throws SQLException;
  }

  @Override
  public ResultSetMetaData getMetaData() throws SQLException {
    return delegate().getMetaData();
  }

  @Override
  public ParameterMetaData getParameterMetaData() throws SQLException {
    return delegate().getParameterMetaData();
  }

  @Override
  public void setArray(int index, Array value) throws SQLException {
    bind(index, value, s -> s.setArray(index, value));
  }

  @Override
  public void setAsciiStream(int index, InputStream value) throws SQLException {
    byte[] bytes = Streams.read(value, -1);
    bind(index, bytes, s -> Streams.setAscii(s, index, bytes));
  }

  @Override
  public void setAsciiStream(int index, InputStream value, int number) throws SQLException {
    byte[] bytes = Streams.read(value, number);
    bind(index, bytes, s -> Streams.setAscii(s, index, bytes));
  }

  @Override
  public void setAsciiStream(int index, InputStream value, long count) throws SQLException {
    byte[] bytes = Streams.read(value, count);
    bind(index, bytes, s -> Streams.setAscii(s, index, bytes));
  }

  @Override
  public void setBigDecimal(int index, BigDecimal value) throws SQLException {
    bind(index, value, s -> s.setBigDecimal(index, value));
  }

  @Override
  public void setBinaryStream(int index, InputStream value) throws SQLException {
    bindLate(index, value, s -> s.setBinaryStream(index, value));
  }

  @Override
  public void setBinaryStream(int index, InputStream value, int number) throws SQLException {
    bindLate(index, value, s -> s.setBinaryStream(index, value, number));
  }

  @Override
  public void setBinaryStream(int index, InputStream value, long count) throws SQLException {
    bindLate(index, value, s -> s.setBinaryStream(index, value, count));
  }

  @Override
  public void setBlob(int index, InputStream value) throws SQLException {
    bindLate(index, value, s -> s.setBlob(index, value));
  }

  @Override
  public void setBlob(int index, Blob value) throws SQLException {
    bindLate(index, value, s -> s.setBlob(index, value));
  }

  @Override
  public void setBlob(int index, InputStream value, long count) throws SQLException {
    bindLate(index, value, s -> s.setBlob(index, value, count));
  }

  @Override
  public void setBoolean(int index, boolean on) throws SQLException {
    bind(index, on, s -> s.setBoolean(index, on));
  }

  @Override
  public void setByte(int index, byte value) throws SQLException {
    bind(index, value, s -> s.setByte(index, value));
  }

  @Override
  public void setBytes(int index, byte[] values) throws SQLException {
    bind(index, values, s -> s.setBytes(index, values));
  }

  @Override
  public void setCharacterStream(int index, Reader value) throws SQLException {
    String text = Streams.read(value, -1);
    bind(index, text, s -> Streams.setText(s, index, text));
  }

  @Override
  public void setCharacterStream(int index, Reader value, int number) throws SQLException {
    String text = Streams.read(value, number);
    bind(index, text, s -> Streams.setText(s, index, text));
  }

  @Override
  public void setCharacterStream(int index, Reader value, long count) throws SQLException {
    String text = Streams.read(value, count);
    bind(index, text, s -> Streams.setText(s, index, text));
  }

  @Override
  public void setClob(int index, Reader value) throws SQLException {
    bindLate(index, value, s -> s.setClob(index, value));
  }

  @Override
  public void setClob(int index, Clob value) throws SQLException {
    bindLate(index, value, s -> s.setClob(index, value));
  }

  @Override
  public void setClob(int index, Reader value, long count) throws SQLException {
    bindLate(index, value, s -> s.setClob(index, value, count));
  }

  @Override
  public void setDate(int index, Date value) throws SQLException {
    bind(index, value, s -> s.setDate(index, value));
  }

  @Override
  public void setDate(int index, Date value, Calendar calendar) throws SQLException {
    bind(index, value, s -> s.setDate(index, value, calendar));
  }

  @Override
  public void setDouble(int index, double value) throws SQLException {
    bind(index, value, s -> s.setDouble(index, value));
  }

  @Override
  public void setFloat(int index, float value) throws SQLException {
    bind(index, value, s -> s.setFloat(index, value));
  }

  @Override
  public void setInt(int index, int number) throws SQLException {
    bind(index, number, s -> s.setInt(index, number));
  }

  @Override
  public void setLong(int index, long count) throws SQLException {
    bind(index, count, s -> s.setLong(index, count));
  }

  @Override
  public void setNCharacterStream(int index, Reader value) throws SQLException {
    bind(index, value, s -> s.setNCharacterStream(index, value));
  }

  @Override
  public void setNCharacterStream(int index, Reader value, long count) throws SQLException {
    bind(index, value, s -> s.setNCharacterStream(index, value, count));
  }

  @Override
  public void setNClob(int index, Reader value) throws SQLException {
    bind(index, value, s -> s.setNClob(index, value));
  }

  @Override
  public void setNClob(int index, NClob value) throws SQLException {
    bind(index, value, s -> s.setNClob(index, value));
  }

  @Override
  public void setNClob(int index, Reader value, long count) throws SQLException {
    bind(index, value, s -> s.setNClob(index, value, count));
  }

  @Override
  public void setNString(int index, String name) throws SQLException {
    bind(index, name, s -> s.setNString(index, name));
  }

  @Override
  public void setNull(int index, int number) throws SQLException {
    bind(index, null, s -> s.setNull(index, number));
  }

  @Override
  public void setNull(int index, int number, String name) throws SQLException {
    bind(index, null, s -> s.setNull(index, number, name));
  }

  @Override
  public void setObject(int index, Object value) throws SQLException {
    if (Streams.isReadOnce(value)) {
      bindLate(index, value, s -> s.setObject(index, value));
    } else {
      bind(index, value, s -> s.setObject(index, value));
    }
  }

  @Override
  public void setObject(int index, Object value, int number) throws SQLException {
    if (Streams.isReadOnce(value)) {
      bindLate(index, value, s -> s.setObject(index, value, number));
    } else {
      bind(index, value, s -> s.setObject(index, value, number));
    }
  }

  @Override
  public void setObject(int index, Object value, SQLType value2) throws SQLException {
    if (Streams.isReadOnce(value)) {
      bindLate(index, value, s -> s.setObject(index, value, value2));
    } else {
      bind(index, value, s -> s.setObject(index, value, value2));
    }
  }

  @Override
  public void setObject(int index, Object value, int number, int number2) throws SQLException {
    if (Streams.isReadOnce(value)) {
      bindLate(index, value, s -> s.setObject(index, value, number, number2));
    } else {
      bind(index, value, s -> s.setObject(index, value, number, number2));
    }
  }

  @Override
  public void setObject(int index, Object value, SQLType value2, int number) throws SQLException {
    if (Streams.isReadOnce(value)) {
      bindLate(index, value, s -> s.setObject(index, value, value2, number));
    } else {
      bind(index, value, s -> s.setObject(index, value, value2, number));
    }
  }

  @Override
  public void setRef(int index, Ref value) throws SQLException {
    bind(index, value, s -> s.setRef(index, value));
  }

  @Override
  public void setRowId(int index, RowId value) throws SQLException {
    bind(index, value, s -> s.setRowId(index, value));
  }

  @Override
  public void setSQLXML(int index, SQLXML value) throws SQLException {
    bind(index, value, s -> s.setSQLXML(index, value));
  }

  @Override
  public void setShort(int index, short value) throws SQLException {
    bind(index, value, s -> s.setShort(index, value));
  }

  @Override
  public void setString(int index, String name) throws SQLException {
    bind(index, name, s -> s.setString(index, name));
  }

  @Override
  public void setTime(int index, Time value) throws SQLException {
    bind(index, value, s -> s.setTime(index, value));
  }

  @Override
  public void setTime(int index, Time value, Calendar calendar) throws SQLException {
    bind(index, value, s -> s.setTime(index, value, calendar));
  }

  @Override
  public void setTimestamp(int index, Timestamp value) throws SQLException {
    bind(index, value, s -> s.setTimestamp(index, value));
  }

  @Override
  public void setTimestamp(int index, Timestamp value, Calendar calendar) throws SQLException {
    bind(index, value, s -> s.setTimestamp(index, value, calendar));
  }

  @Override
  public void setURL(int index, URL value) throws SQLException {
    bind(index, value, s -> s.setURL(index, value));
  }

  @Deprecated
  @Override
  public void setUnicodeStream(int index, InputStream value, int number) throws SQLException {
    byte[] bytes = Streams.read(value, number);
    bind(index, bytes, s -> Streams.setUnicode(s, index, bytes));
  }
}
