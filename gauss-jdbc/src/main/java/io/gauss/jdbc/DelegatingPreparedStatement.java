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
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;

/** A prepared statement that passes every call on. */
abstract class DelegatingPreparedStatement extends DelegatingStatement
    implements PreparedStatement {
  private final PreparedStatement delegate;

  DelegatingPreparedStatement(PreparedStatement delegate) {
    super(delegate);
    this.delegate = delegate;
  }

  @Override
  public void addBatch() throws SQLException {
    delegate.addBatch();
  }

  @Override
  public void clearParameters() throws SQLException {
    delegate.clearParameters();
  }

  @Override
  public boolean execute() throws SQLException {
    return delegate.execute();
  }

  @Override
  public long executeLargeUpdate() throws SQLException {
    return delegate.executeLargeUpdate();
  }

  @Override
  public ResultSet executeQuery() throws SQLException {
    return delegate.executeQuery();
  }

  @Override
  public int executeUpdate() throws SQLException {
    return delegate.executeUpdate();
  }

  @Override
  public ResultSetMetaData getMetaData() throws SQLException {
    return delegate.getMetaData();
  }

  @Override
  public ParameterMetaData getParameterMetaData() throws SQLException {
    return delegate.getParameterMetaData();
  }

  @Override
  public void setArray(int index, Array value) throws SQLException {
    delegate.setArray(index, value);
  }

  @Override
  public void setAsciiStream(int index, InputStream value) throws SQLException {
    delegate.setAsciiStream(index, value);
  }

  @Override
  public void setAsciiStream(int index, InputStream value, int number) throws SQLException {
    delegate.setAsciiStream(index, value, number);
  }

  @Override
  public void setAsciiStream(int index, InputStream value, long count) throws SQLException {
    delegate.setAsciiStream(index, value, count);
  }

  @Override
  public void setBigDecimal(int index, BigDecimal value) throws SQLException {
    delegate.setBigDecimal(index, value);
  }

  @Override
  public void setBinaryStream(int index, InputStream value) throws SQLException {
    delegate.setBinaryStream(index, value);
  }

  @Override
  public void setBinaryStream(int index, InputStream value, int number) throws SQLException {
    delegate.setBinaryStream(index, value, number);
  }

  @Override
  public void setBinaryStream(int index, InputStream value, long count) throws SQLException {
    delegate.setBinaryStream(index, value, count);
  }

  @Override
  public void setBlob(int index, InputStream value) throws SQLException {
    delegate.setBlob(index, value);
  }

  @Override
  public void setBlob(int index, Blob value) throws SQLException {
    delegate.setBlob(index, value);
  }

  @Override
  public void setBlob(int index, InputStream value, long count) throws SQLException {
    delegate.setBlob(index, value, count);
  }

  @Override
  public void setBoolean(int index, boolean on) throws SQLException {
    delegate.setBoolean(index, on);
  }

  @Override
  public void setByte(int index, byte value) throws SQLException {
    delegate.setByte(index, value);
  }

  @Override
  public void setBytes(int index, byte[] values) throws SQLException {
    delegate.setBytes(index, values);
  }

  @Override
  public void setCharacterStream(int index, Reader value) throws SQLException {
    delegate.setCharacterStream(index, value);
  }

  @Override
  public void setCharacterStream(int index, Reader value, int number) throws SQLException {
    delegate.setCharacterStream(index, value, number);
  }

  @Override
  public void setCharacterStream(int index, Reader value, long count) throws SQLException {
    delegate.setCharacterStream(index, value, count);
  }

  @Override
  public void setClob(int index, Reader value) throws SQLException {
    delegate.setClob(index, value);
  }

  @Override
  public void setClob(int index, Clob value) throws SQLException {
    delegate.setClob(index, value);
  }

  @Override
  public void setClob(int index, Reader value, long count) throws SQLException {
    delegate.setClob(index, value, count);
  }

  @Override
  public void setDate(int index, Date value) throws SQLException {
    delegate.setDate(index, value);
  }

  @Override
  public void setDate(int index, Date value, Calendar calendar) throws SQLException {
    delegate.setDate(index, value, calendar);
  }

  @Override
  public void setDouble(int index, double value) throws SQLException {
    delegate.setDouble(index, value);
  }

  @Override
  public void setFloat(int index, float value) throws SQLException {
    delegate.setFloat(index, value);
  }

  @Override
  public void setInt(int index, int number) throws SQLException {
    delegate.setInt(index, number);
  }

  @Override
  public void setLong(int index, long count) throws SQLException {
    delegate.setLong(index, count);
  }

  @Override
  public void setNCharacterStream(int index, Reader value) throws SQLException {
    delegate.setNCharacterStream(index, value);
  }

  @Override
  public void setNCharacterStream(int index, Reader value, long count) throws SQLException {
    delegate.setNCharacterStream(index, value, count);
  }

  @Override
  public void setNClob(int index, Reader value) throws SQLException {
    delegate.setNClob(index, value);
  }

  @Override
  public void setNClob(int index, NClob value) throws SQLException {
    delegate.setNClob(index, value);
  }

  @Override
  public void setNClob(int index, Reader value, long count) throws SQLException {
    delegate.setNClob(index, value, count);
  }

  @Override
  public void setNString(int index, String name) throws SQLException {
    delegate.setNString(index, name);
  }

  @Override
  public void setNull(int index, int number) throws SQLException {
    delegate.setNull(index, number);
  }

  @Override
  public void setNull(int index, int number, String name) throws SQLException {
    delegate.setNull(index, number, name);
  }

  @Override
  public void setObject(int index, Object value) throws SQLException {
    delegate.setObject(index, value);
  }

  @Override
  public void setObject(int index, Object value, int number) throws SQLException {
    delegate.setObject(index, value, number);
  }

  @Override
  public void setObject(int index, Object value, SQLType value2) throws SQLException {
    delegate.setObject(index, value, value2);
  }

  @Override
  public void setObject(int index, Object value, int number, int number2) throws SQLException {
    delegate.setObject(index, value, number, number2);
  }

  @Override
  public void setObject(int index, Object value, SQLType value2, int number) throws SQLException {
    delegate.setObject(index, value, value2, number);
  }

  @Override
  public void setRef(int index, Ref value) throws SQLException {
    delegate.setRef(index, value);
  }

  @Override
  public void setRowId(int index, RowId value) throws SQLException {
    delegate.setRowId(index, value);
  }

  @Override
  public void setSQLXML(int index, SQLXML value) throws SQLException {
    delegate.setSQLXML(index, value);
  }

  @Override
  public void setShort(int index, short value) throws SQLException {
    delegate.setShort(index, value);
  }

  @Override
  public void setString(int index, String name) throws SQLException {
    delegate.setString(index, name);
  }

  @Override
  public void setTime(int index, Time value) throws SQLException {
    delegate.setTime(index, value);
  }

  @Override
  public void setTime(int index, Time value, Calendar calendar) throws SQLException {
    delegate.setTime(index, value, calendar);
  }

  @Override
  public void setTimestamp(int index, Timestamp value) throws SQLException {
    delegate.setTimestamp(index, value);
  }

  @Override
  public void setTimestamp(int index, Timestamp value, Calendar calendar) throws SQLException {
    delegate.setTimestamp(index, value, calendar);
  }

  @Override
  public void setURL(int index, URL value) throws SQLException {
    delegate.setURL(index, value);
  }

  @Deprecated
  @Override
  public void setUnicodeStream(int index, InputStream value, int number) throws SQLException {
    delegate.setUnicodeStream(index, value, number);
  }
}
