package io.gauss.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;

/** A callable statement that delegates every call. */
abstract class DelegatingCallableStatement extends GaussPreparedStatement
    implements CallableStatement {
  DelegatingCallableStatement(GaussConnection connection, Creation creation, String sql)
      throws SQLException {
    super(connection, creation, sql);
  }

  @Override
  protected abstract CallableStatement delegate();

  /** Registers a result now, and again on each node where the statement runs. */
  abstract void register(Registration registration) throws SQLException;

  /** Registers a result. */
  @FunctionalInterface
  interface Registration {
    void on(CallableStatement statement) throws SQLException;
  }

  @Override
  public Array getArray(String text) throws SQLException {
    return delegate().getArray(text);
  }

  @Override
  public Array getArray(int index) throws SQLException {
    return delegate().getArray(index);
  }

  @Override
  public BigDecimal getBigDecimal(String text) throws SQLException {
    return delegate().getBigDecimal(text);
  }

  @Override
  public BigDecimal getBigDecimal(int index) throws SQLException {
    return delegate().getBigDecimal(index);
  }

  @Deprecated
  @Override
  public BigDecimal getBigDecimal(int index, int number) throws SQLException {
    return delegate().getBigDecimal(index, number);
  }

  @Override
  public Blob getBlob(String text) throws SQLException {
    return delegate().getBlob(text);
  }

  @Override
  public Blob getBlob(int index) throws SQLException {
    return delegate().getBlob(index);
  }

  @Override
  public boolean getBoolean(String text) throws SQLException {
    return delegate().getBoolean(text);
  }

  @Override
  public boolean getBoolean(int index) throws SQLException {
    return delegate().getBoolean(index);
  }

  @Override
  public byte getByte(String text) throws SQLException {
    return delegate().getByte(text);
  }

  @Override
  public byte getByte(int index) throws SQLException {
    return delegate().getByte(index);
  }

  @Override
  public byte[] getBytes(String text) throws SQLException {
    return delegate().getBytes(text);
  }

  @Override
  public byte[] getBytes(int index) throws SQLException {
    return delegate().getBytes(index);
  }

  @Override
  public Reader getCharacterStream(String text) throws SQLException {
    return delegate().getCharacterStream(text);
  }

  @Override
  public Reader getCharacterStream(int index) throws SQLException {
    return delegate().getCharacterStream(index);
  }

  @Override
  public Clob getClob(String text) throws SQLException {
    return delegate().getClob(text);
  }

  @Override
  public Clob getClob(int index) throws SQLException {
    return delegate().getClob(index);
  }

  @Override
  public Date getDate(String text) throws SQLException {
    return delegate().getDate(text);
  }

  @Override
  public Date getDate(int index) throws SQLException {
    return delegate().getDate(index);
  }

  @Override
  public Date getDate(String text, Calendar calendar) throws SQLException {
    return delegate().getDate(text, calendar);
  }

  @Override
  public Date getDate(int index, Calendar calendar) throws SQLException {
    return delegate().getDate(index, calendar);
  }

  @Override
  public double getDouble(String text) throws SQLException {
    return delegate().getDouble(text);
  }

  @Override
  public double getDouble(int index) throws SQLException {
    return delegate().getDouble(index);
  }

  @Override
  public float getFloat(String text) throws SQLException {
    return delegate().getFloat(text);
  }

  @Override
  public float getFloat(int index) throws SQLException {
    return delegate().getFloat(index);
  }

  @Override
  public int getInt(String text) throws SQLException {
    return delegate().getInt(text);
  }

  @Override
  public int getInt(int index) throws SQLException {
    return delegate().getInt(index);
  }

  @Override
  public long getLong(String text) throws SQLException {
    return delegate().getLong(text);
  }

  @Override
  public long getLong(int index) throws SQLException {
    return delegate().getLong(index);
  }

  @Override
  public Reader getNCharacterStream(String text) throws SQLException {
    return delegate().getNCharacterStream(text);
  }

  @Override
  public Reader getNCharacterStream(int index) throws SQLException {
    return delegate().getNCharacterStream(index);
  }

  @Override
  public NClob getNClob(String text) throws SQLException {
    return delegate().getNClob(text);
  }

  @Override
  public NClob getNClob(int index) throws SQLException {
    return delegate().getNClob(index);
  }

  @Override
  public String getNString(String text) throws SQLException {
    return delegate().getNString(text);
  }

  @Override
  public String getNString(int index) throws SQLException {
    return delegate().getNString(index);
  }

  @Override
  public Object getObject(String text) throws SQLException {
    return delegate().getObject(text);
  }

  @Override
  public Object getObject(int index) throws SQLException {
    return delegate().getObject(index);
  }

  @Override
  public <T> T getObject(String text, Class<T> map) throws SQLException {
    return delegate().getObject(text, map);
  }

  @Override
  public Object getObject(String text, Map<String, Class<?>> map) throws SQLException {
    return delegate().getObject(text, map);
  }

  @Override
  public <T> T getObject(int index, Class<T> map) throws SQLException {
    return delegate().getObject(index, map);
  }

  @Override
  public Object getObject(int index, Map<String, Class<?>> map) throws SQLException {
    return delegate().getObject(index, map);
  }

  @Override
  public Ref getRef(String text) throws SQLException {
    return delegate().getRef(text);
  }

  @Override
  public Ref getRef(int index) throws SQLException {
    return delegate().getRef(index);
  }

  @Override
  public RowId getRowId(String text) throws SQLException {
    return delegate().getRowId(text);
  }

  @Override
  public RowId getRowId(int index) throws SQLException {
    return delegate().getRowId(index);
  }

  @Override
  public SQLXML getSQLXML(String text) throws SQLException {
    return delegate().getSQLXML(text);
  }

  @Override
  public SQLXML getSQLXML(int index) throws SQLException {
    return delegate().getSQLXML(index);
  }

  @Override
  public short getShort(String text) throws SQLException {
    return delegate().getShort(text);
  }

  @Override
  public short getShort(int index) throws SQLException {
    return delegate().getShort(index);
  }

  @Override
  public String getString(String text) throws SQLException {
    return delegate().getString(text);
  }

  @Override
  public String getString(int index) throws SQLException {
    return delegate().getString(index);
  }

  @Override
  public Time getTime(String text) throws SQLException {
    return delegate().getTime(text);
  }

  @Override
  public Time getTime(int index) throws SQLException {
    return delegate().getTime(index);
  }

  @Override
  public Time getTime(String text, Calendar calendar) throws SQLException {
    return delegate().getTime(text, calendar);
  }

  @Override
  public Time getTime(int index, Calendar calendar) throws SQLException {
    return delegate().getTime(index, calendar);
  }

  @Override
  public Timestamp getTimestamp(String text) throws SQLException {
    return delegate().getTimestamp(text);
  }

  @Override
  public Timestamp getTimestamp(int index) throws SQLException {
    return delegate().getTimestamp(index);
  }

  @Override
  public Timestamp getTimestamp(String text, Calendar calendar) throws SQLException {
    return delegate().getTimestamp(text, calendar);
  }

  @Override
  public Timestamp getTimestamp(int index, Calendar calendar) throws SQLException {
    return delegate().getTimestamp(index, calendar);
  }

  @Override
  public URL getURL(String text) throws SQLException {
    return delegate().getURL(text);
  }

  @Override
  public URL getURL(int index) throws SQLException {
    return delegate().getURL(index);
  }

  @Override
  public void registerOutParameter(String text, int number) throws SQLException {
    delegate().registerOutParameter(text, number);
  }

  @Override
  public void registerOutParameter(String text, SQLType value) throws SQLException {
    delegate().registerOutParameter(text, value);
  }

  @Override
  public void registerOutParameter(int index, int number) throws SQLException {
    register(s -> s.registerOutParameter(index, number));
  }

  @Override
  public void registerOutParameter(int index, SQLType value) throws SQLException {
    register(s -> s.registerOutParameter(index, value));
  }

  @Override
  public void registerOutParameter(String text, int number, String name) throws SQLException {
    delegate().registerOutParameter(text, number, name);
  }

  @Override
  public void registerOutParameter(String text, int number, int number2) throws SQLException {
    delegate().registerOutParameter(text, number, number2);
  }

  @Override
  public void registerOutParameter(String text, SQLType value, String name) throws SQLException {
    delegate().registerOutParameter(text, value, name);
  }

  @Override
  public void registerOutParameter(String text, SQLType value, int number) throws SQLException {
    delegate().registerOutParameter(text, value, number);
  }

  @Override
  public void registerOutParameter(int index, int number, String name) throws SQLException {
    register(s -> s.registerOutParameter(index, number, name));
  }

  @Override
  public void registerOutParameter(int index, int number, int number2) throws SQLException {
    register(s -> s.registerOutParameter(index, number, number2));
  }

  @Override
  public void registerOutParameter(int index, SQLType value, String name) throws SQLException {
    register(s -> s.registerOutParameter(index, value, name));
  }

  @Override
  public void registerOutParameter(int index, SQLType value, int number) throws SQLException {
    register(s -> s.registerOutParameter(index, value, number));
  }

  @Override
  public void setAsciiStream(String text, InputStream value) throws SQLException {
    delegate().setAsciiStream(text, value);
  }

  @Override
  public void setAsciiStream(String text, InputStream value, int number) throws SQLException {
    delegate().setAsciiStream(text, value, number);
  }

  @Override
  public void setAsciiStream(String text, InputStream value, long count) throws SQLException {
    delegate().setAsciiStream(text, value, count);
  }

  @Override
  public void setBigDecimal(String text, BigDecimal value) throws SQLException {
    delegate().setBigDecimal(text, value);
  }

  @Override
  public void setBinaryStream(String text, InputStream value) throws SQLException {
    delegate().setBinaryStream(text, value);
  }

  @Override
  public void setBinaryStream(String text, InputStream value, int number) throws SQLException {
    delegate().setBinaryStream(text, value, number);
  }

  @Override
  public void setBinaryStream(String text, InputStream value, long count) throws SQLException {
    delegate().setBinaryStream(text, value, count);
  }

  @Override
  public void setBlob(String text, InputStream value) throws SQLException {
    delegate().setBlob(text, value);
  }

  @Override
  public void setBlob(String text, Blob value) throws SQLException {
    delegate().setBlob(text, value);
  }

  @Override
  public void setBlob(String text, InputStream value, long count) throws SQLException {
    delegate().setBlob(text, value, count);
  }

  @Override
  public void setBoolean(String text, boolean on) throws SQLException {
    delegate().setBoolean(text, on);
  }

  @Override
  public void setByte(String text, byte value) throws SQLException {
    delegate().setByte(text, value);
  }

  @Override
  public void setBytes(String text, byte[] values) throws SQLException {
    delegate().setBytes(text, values);
  }

  @Override
  public void setCharacterStream(String text, Reader value) throws SQLException {
    delegate().setCharacterStream(text, value);
  }

  @Override
  public void setCharacterStream(String text, Reader value, int number) throws SQLException {
    delegate().setCharacterStream(text, value, number);
  }

  @Override
  public void setCharacterStream(String text, Reader value, long count) throws SQLException {
    delegate().setCharacterStream(text, value, count);
  }

  @Override
  public void setClob(String text, Reader value) throws SQLException {
    delegate().setClob(text, value);
  }

  @Override
  public void setClob(String text, Clob value) throws SQLException {
    delegate().setClob(text, value);
  }

  @Override
  public void setClob(String text, Reader value, long count) throws SQLException {
    delegate().setClob(text, value, count);
  }

  @Override
  public void setDate(String text, Date value) throws SQLException {
    delegate().setDate(text, value);
  }

  @Override
  public void setDate(String text, Date value, Calendar calendar) throws SQLException {
    delegate().setDate(text, value, calendar);
  }

  @Override
  public void setDouble(String text, double value) throws SQLException {
    delegate().setDouble(text, value);
  }

  @Override
  public void setFloat(String text, float value) throws SQLException {
    delegate().setFloat(text, value);
  }

  @Override
  public void setInt(String text, int number) throws SQLException {
    delegate().setInt(text, number);
  }

  @Override
  public void setLong(String text, long count) throws SQLException {
    delegate().setLong(text, count);
  }

  @Override
  public void setNCharacterStream(String text, Reader value) throws SQLException {
    delegate().setNCharacterStream(text, value);
  }

  @Override
  public void setNCharacterStream(String text, Reader value, long count) throws SQLException {
    delegate().setNCharacterStream(text, value, count);
  }

  @Override
  public void setNClob(String text, Reader value) throws SQLException {
    delegate().setNClob(text, value);
  }

  @Override
  public void setNClob(String text, NClob value) throws SQLException {
    delegate().setNClob(text, value);
  }

  @Override
  public void setNClob(String text, Reader value, long count) throws SQLException {
    delegate().setNClob(text, value, count);
  }

  @Override
  public void setNString(String text, String name) throws SQLException {
    delegate().setNString(text, name);
  }

  @Override
  public void setNull(String text, int number) throws SQLException {
    delegate().setNull(text, number);
  }

  @Override
  public void setNull(String text, int number, String name) throws SQLException {
    delegate().setNull(text, number, name);
  }

  @Override
  public void setObject(String text, Object value) throws SQLException {
    delegate().setObject(text, value);
  }

  @Override
  public void setObject(String text, Object value, int number) throws SQLException {
    delegate().setObject(text, value, number);
  }

  @Override
  public void setObject(String text, Object value, SQLType value2) throws SQLException {
    delegate().setObject(text, value, value2);
  }

  @Override
  public void setObject(String text, Object value, int number, int number2) throws SQLException {
    delegate().setObject(text, value, number, number2);
  }

  @Override
  public void setObject(String text, Object value, SQLType value2, int number) throws SQLException {
    delegate().setObject(text, value, value2, number);
  }

  @Override
  public void setRowId(String text, RowId value) throws SQLException {
    delegate().setRowId(text, value);
  }

  @Override
  public void setSQLXML(String text, SQLXML value) throws SQLException {
    delegate().setSQLXML(text, value);
  }

  @Override
  public void setShort(String text, short value) throws SQLException {
    delegate().setShort(text, value);
  }

  @Override
  public void setString(String text, String name) throws SQLException {
    delegate().setString(text, name);
  }

  @Override
  public void setTime(String text, Time value) throws SQLException {
    delegate().setTime(text, value);
  }

  @Override
  public void setTime(String text, Time value, Calendar calendar) throws SQLException {
    delegate().setTime(text, value, calendar);
  }

  @Override
  public void setTimestamp(String text, Timestamp value) throws SQLException {
    delegate().setTimestamp(text, value);
  }

  @Override
  public void setTimestamp(String text, Timestamp value, Calendar calendar) throws SQLException {
    delegate().setTimestamp(text, value, calendar);
  }

  @Override
  public void setURL(String text, URL value) throws SQLException {
    delegate().setURL(text, value);
  }

  @Override
  public boolean wasNull() throws SQLException {
    return delegate().wasNull();
  }
}
