package io.gauss.jdbc.delegate;

import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.NClob;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Struct;
import java.util.Map;
import java.util.Properties;

/** A connection that delegates every call. */
public abstract class DelegatingConnection implements Connection {
  /** The physical connection that currently receives the calls. */
  protected abstract Connection delegate() throws SQLException;

  @Override
  public void beginRequest() throws SQLException {
    delegate().beginRequest();
  }

  @Override
  public void clearWarnings() throws SQLException {
    delegate().clearWarnings();
  }

  @Override
  public Array createArrayOf(String text, Object[] values) throws SQLException {
    return delegate().createArrayOf(text, values);
  }

  @Override
  public Blob createBlob() throws SQLException {
    return delegate().createBlob();
  }

  @Override
  public Clob createClob() throws SQLException {
    return delegate().createClob();
  }

  @Override
  public NClob createNClob() throws SQLException {
    return delegate().createNClob();
  }

  @Override
  public SQLXML createSQLXML() throws SQLException {
    return delegate().createSQLXML();
  }

  @Override
  public Struct createStruct(String text, Object[] values) throws SQLException {
    return delegate().createStruct(text, values);
  }

  @Override
  public String getCatalog() throws SQLException {
    return delegate().getCatalog();
  }

  @Override
  public Properties getClientInfo() throws SQLException {
    return delegate().getClientInfo();
  }

  @Override
  public String getClientInfo(String text) throws SQLException {
    return delegate().getClientInfo(text);
  }

  @Override
  public int getHoldability() throws SQLException {
    return delegate().getHoldability();
  }

  @Override
  public int getNetworkTimeout() throws SQLException {
    return delegate().getNetworkTimeout();
  }

  @Override
  public Map<String, Class<?>> getTypeMap() throws SQLException {
    return delegate().getTypeMap();
  }

  @Override
  public SQLWarning getWarnings() throws SQLException {
    return delegate().getWarnings();
  }

  @Override
  public boolean isReadOnly() throws SQLException {
    return delegate().isReadOnly();
  }

  @Override
  public String nativeSQL(String text) throws SQLException {
    return delegate().nativeSQL(text);
  }

  @Override
  public void setCatalog(String text) throws SQLException {
    delegate().setCatalog(text);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return type.isInstance(this) ? type.cast(this) : delegate().unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || delegate().isWrapperFor(type);
  }
}
