package io.gauss.jdbc.delegate;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;

/** A result set that delegates every call that reads or moves. */
abstract class DelegatingResultSet implements ResultSet {
  protected final ResultSet delegate;

  DelegatingResultSet(ResultSet delegate) {
    this.delegate = delegate;
  }

  @Override
  public boolean next() throws SQLException {
    return delegate.next();
  }

  @Override
  public void close() throws SQLException {
    delegate.close();
  }

  @Override
  public boolean wasNull() throws SQLException {
    return delegate.wasNull();
  }

  @Override
  public String getString(int column) throws SQLException {
    return delegate.getString(column);
  }

  @Override
  public boolean getBoolean(int column) throws SQLException {
    return delegate.getBoolean(column);
  }

  @Override
  public byte getByte(int column) throws SQLException {
    return delegate.getByte(column);
  }

  @Override
  public short getShort(int column) throws SQLException {
    return delegate.getShort(column);
  }

  @Override
  public int getInt(int column) throws SQLException {
    return delegate.getInt(column);
  }

  @Override
  public long getLong(int column) throws SQLException {
    return delegate.getLong(column);
  }

  @Override
  public float getFloat(int column) throws SQLException {
    return delegate.getFloat(column);
  }

  @Override
  public double getDouble(int column) throws SQLException {
    return delegate.getDouble(column);
  }

  @Deprecated
  @Override
  public BigDecimal getBigDecimal(int column, int value) throws SQLException {
    return delegate.getBigDecimal(column, value);
  }

  @Override
  public byte[] getBytes(int column) throws SQLException {
    return delegate.getBytes(column);
  }

  @Override
  public Date getDate(int column) throws SQLException {
    return delegate.getDate(column);
  }

  @Override
  public Time getTime(int column) throws SQLException {
    return delegate.getTime(column);
  }

  @Override
  public Timestamp getTimestamp(int column) throws SQLException {
    return delegate.getTimestamp(column);
  }

  @Override
  public InputStream getAsciiStream(int column) throws SQLException {
    return delegate.getAsciiStream(column);
  }

  @Deprecated
  @Override
  public InputStream getUnicodeStream(int column) throws SQLException {
    return delegate.getUnicodeStream(column);
  }

  @Override
  public InputStream getBinaryStream(int column) throws SQLException {
    return delegate.getBinaryStream(column);
  }

  @Override
  public String getString(String label) throws SQLException {
    return delegate.getString(label);
  }

  @Override
  public boolean getBoolean(String label) throws SQLException {
    return delegate.getBoolean(label);
  }

  @Override
  public byte getByte(String label) throws SQLException {
    return delegate.getByte(label);
  }

  @Override
  public short getShort(String label) throws SQLException {
    return delegate.getShort(label);
  }

  @Override
  public int getInt(String label) throws SQLException {
    return delegate.getInt(label);
  }

  @Override
  public long getLong(String label) throws SQLException {
    return delegate.getLong(label);
  }

  @Override
  public float getFloat(String label) throws SQLException {
    return delegate.getFloat(label);
  }

  @Override
  public double getDouble(String label) throws SQLException {
    return delegate.getDouble(label);
  }

  @Deprecated
  @Override
  public BigDecimal getBigDecimal(String label, int value) throws SQLException {
    return delegate.getBigDecimal(label, value);
  }

  @Override
  public byte[] getBytes(String label) throws SQLException {
    return delegate.getBytes(label);
  }

  @Override
  public Date getDate(String label) throws SQLException {
    return delegate.getDate(label);
  }

  @Override
  public Time getTime(String label) throws SQLException {
    return delegate.getTime(label);
  }

  @Override
  public Timestamp getTimestamp(String label) throws SQLException {
    return delegate.getTimestamp(label);
  }

  @Override
  public InputStream getAsciiStream(String label) throws SQLException {
    return delegate.getAsciiStream(label);
  }

  @Deprecated
  @Override
  public InputStream getUnicodeStream(String label) throws SQLException {
    return delegate.getUnicodeStream(label);
  }

  @Override
  public InputStream getBinaryStream(String label) throws SQLException {
    return delegate.getBinaryStream(label);
  }

  @Override
  public SQLWarning getWarnings() throws SQLException {
    return delegate.getWarnings();
  }

  @Override
  public void clearWarnings() throws SQLException {
    delegate.clearWarnings();
  }

  @Override
  public String getCursorName() throws SQLException {
    return delegate.getCursorName();
  }

  @Override
  public ResultSetMetaData getMetaData() throws SQLException {
    return delegate.getMetaData();
  }

  @Override
  public Object getObject(int column) throws SQLException {
    return delegate.getObject(column);
  }

  @Override
  public Object getObject(String label) throws SQLException {
    return delegate.getObject(label);
  }

  @Override
  public int findColumn(String label) throws SQLException {
    return delegate.findColumn(label);
  }

  @Override
  public Reader getCharacterStream(int column) throws SQLException {
    return delegate.getCharacterStream(column);
  }

  @Override
  public Reader getCharacterStream(String label) throws SQLException {
    return delegate.getCharacterStream(label);
  }

  @Override
  public BigDecimal getBigDecimal(int column) throws SQLException {
    return delegate.getBigDecimal(column);
  }

  @Override
  public BigDecimal getBigDecimal(String label) throws SQLException {
    return delegate.getBigDecimal(label);
  }

  @Override
  public boolean isBeforeFirst() throws SQLException {
    return delegate.isBeforeFirst();
  }

  @Override
  public boolean isAfterLast() throws SQLException {
    return delegate.isAfterLast();
  }

  @Override
  public boolean isFirst() throws SQLException {
    return delegate.isFirst();
  }

  @Override
  public boolean isLast() throws SQLException {
    return delegate.isLast();
  }

  @Override
  public void beforeFirst() throws SQLException {
    delegate.beforeFirst();
  }

  @Override
  public void afterLast() throws SQLException {
    delegate.afterLast();
  }

  @Override
  public boolean first() throws SQLException {
    return delegate.first();
  }

  @Override
  public boolean last() throws SQLException {
    return delegate.last();
  }

  @Override
  public int getRow() throws SQLException {
    return delegate.getRow();
  }

  @Override
  public boolean absolute(int number) throws SQLException {
    return delegate.absolute(number);
  }

  @Override
  public boolean relative(int number) throws SQLException {
    return delegate.relative(number);
  }

  @Override
  public boolean previous() throws SQLException {
    return delegate.previous();
  }

  @Override
  public void setFetchDirection(int number) throws SQLException {
    delegate.setFetchDirection(number);
  }

  @Override
  public int getFetchDirection() throws SQLException {
    return delegate.getFetchDirection();
  }

  @Override
  public void setFetchSize(int number) throws SQLException {
    delegate.setFetchSize(number);
  }

  @Override
  public int getFetchSize() throws SQLException {
    return delegate.getFetchSize();
  }

  @Override
  public int getType() throws SQLException {
    return delegate.getType();
  }

  @Override
  public int getConcurrency() throws SQLException {
    return delegate.getConcurrency();
  }

  @Override
  public boolean rowUpdated() throws SQLException {
    return delegate.rowUpdated();
  }

  @Override
  public boolean rowInserted() throws SQLException {
    return delegate.rowInserted();
  }

  @Override
  public boolean rowDeleted() throws SQLException {
    return delegate.rowDeleted();
  }

  @Override
  public void cancelRowUpdates() throws SQLException {
    delegate.cancelRowUpdates();
  }

  @Override
  public void moveToCurrentRow() throws SQLException {
    delegate.moveToCurrentRow();
  }

  @Override
  public Object getObject(int column, Map<String, Class<?>> types) throws SQLException {
    return delegate.getObject(column, types);
  }

  @Override
  public Ref getRef(int column) throws SQLException {
    return delegate.getRef(column);
  }

  @Override
  public Blob getBlob(int column) throws SQLException {
    return delegate.getBlob(column);
  }

  @Override
  public Clob getClob(int column) throws SQLException {
    return delegate.getClob(column);
  }

  @Override
  public Array getArray(int column) throws SQLException {
    return delegate.getArray(column);
  }

  @Override
  public Object getObject(String label, Map<String, Class<?>> types) throws SQLException {
    return delegate.getObject(label, types);
  }

  @Override
  public Ref getRef(String label) throws SQLException {
    return delegate.getRef(label);
  }

  @Override
  public Blob getBlob(String label) throws SQLException {
    return delegate.getBlob(label);
  }

  @Override
  public Clob getClob(String label) throws SQLException {
    return delegate.getClob(label);
  }

  @Override
  public Array getArray(String label) throws SQLException {
    return delegate.getArray(label);
  }

  @Override
  public Date getDate(int column, Calendar value) throws SQLException {
    return delegate.getDate(column, value);
  }

  @Override
  public Date getDate(String label, Calendar value) throws SQLException {
    return delegate.getDate(label, value);
  }

  @Override
  public Time getTime(int column, Calendar value) throws SQLException {
    return delegate.getTime(column, value);
  }

  @Override
  public Time getTime(String label, Calendar value) throws SQLException {
    return delegate.getTime(label, value);
  }

  @Override
  public Timestamp getTimestamp(int column, Calendar value) throws SQLException {
    return delegate.getTimestamp(column, value);
  }

  @Override
  public Timestamp getTimestamp(String label, Calendar value) throws SQLException {
    return delegate.getTimestamp(label, value);
  }

  @Override
  public URL getURL(int column) throws SQLException {
    return delegate.getURL(column);
  }

  @Override
  public URL getURL(String label) throws SQLException {
    return delegate.getURL(label);
  }

  @Override
  public RowId getRowId(int column) throws SQLException {
    return delegate.getRowId(column);
  }

  @Override
  public RowId getRowId(String label) throws SQLException {
    return delegate.getRowId(label);
  }

  @Override
  public int getHoldability() throws SQLException {
    return delegate.getHoldability();
  }

  @Override
  public boolean isClosed() throws SQLException {
    return delegate.isClosed();
  }

  @Override
  public NClob getNClob(int column) throws SQLException {
    return delegate.getNClob(column);
  }

  @Override
  public NClob getNClob(String label) throws SQLException {
    return delegate.getNClob(label);
  }

  @Override
  public SQLXML getSQLXML(int column) throws SQLException {
    return delegate.getSQLXML(column);
  }

  @Override
  public SQLXML getSQLXML(String label) throws SQLException {
    return delegate.getSQLXML(label);
  }

  @Override
  public String getNString(int column) throws SQLException {
    return delegate.getNString(column);
  }

  @Override
  public String getNString(String label) throws SQLException {
    return delegate.getNString(label);
  }

  @Override
  public Reader getNCharacterStream(int column) throws SQLException {
    return delegate.getNCharacterStream(column);
  }

  @Override
  public Reader getNCharacterStream(String label) throws SQLException {
    return delegate.getNCharacterStream(label);
  }

  @Override
  public <T> T getObject(int column, Class<T> value) throws SQLException {
    return delegate.getObject(column, value);
  }

  @Override
  public <T> T getObject(String label, Class<T> value) throws SQLException {
    return delegate.getObject(label, value);
  }
}
