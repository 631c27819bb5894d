package io.gauss.jdbc;

import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.ShardingKey;
import java.sql.Statement;
import java.sql.Struct;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;

/** A connection that passes every call on. */
abstract class DelegatingConnection implements Connection {
  private final Connection delegate;

  DelegatingConnection(Connection delegate) {
    this.delegate = delegate;
  }

  @Override
  public void abort(Executor executor) throws SQLException {
    delegate.abort(executor);
  }

  @Override
  public void beginRequest() throws SQLException {
    delegate.beginRequest();
  }

  @Override
  public void clearWarnings() throws SQLException {
    delegate.clearWarnings();
  }

  @Override
  public void close() throws SQLException {
    delegate.close();
  }

  @Override
  public void commit() throws SQLException {
    delegate.commit();
  }

  @Override
  public Array createArrayOf(String text, Object[] values) throws SQLException {
    return delegate.createArrayOf(text, values);
  }

  @Override
  public Blob createBlob() throws SQLException {
    return delegate.createBlob();
  }

  @Override
  public Clob createClob() throws SQLException {
    return delegate.createClob();
  }

  @Override
  public NClob createNClob() throws SQLException {
    return delegate.createNClob();
  }

  @Override
  public SQLXML createSQLXML() throws SQLException {
    return delegate.createSQLXML();
  }

  @Override
  public Statement createStatement() throws SQLException {
    return delegate.createStatement();
  }

  @Override
  public Statement createStatement(int index, int number) throws SQLException {
    return delegate.createStatement(index, number);
  }

  @Override
  public Statement createStatement(int index, int number, int number2) throws SQLException {
    return delegate.createStatement(index, number, number2);
  }

  @Override
  public Struct createStruct(String text, Object[] values) throws SQLException {
    return delegate.createStruct(text, values);
  }

  @Override
  public void endRequest() throws SQLException {
    delegate.endRequest();
  }

  @Override
  public boolean getAutoCommit() throws SQLException {
    return delegate.getAutoCommit();
  }

  @Override
  public String getCatalog() throws SQLException {
    return delegate.getCatalog();
  }

  @Override
  public Properties getClientInfo() throws SQLException {
    return delegate.getClientInfo();
  }

  @Override
  public String getClientInfo(String text) throws SQLException {
    return delegate.getClientInfo(text);
  }

  @Override
  public int getHoldability() throws SQLException {
    return delegate.getHoldability();
  }

  @Override
  public DatabaseMetaData getMetaData() throws SQLException {
    return delegate.getMetaData();
  }

  @Override
  public int getNetworkTimeout() throws SQLException {
    return delegate.getNetworkTimeout();
  }

  @Override
  public String getSchema() throws SQLException {
    return delegate.getSchema();
  }

  @Override
  public int getTransactionIsolation() throws SQLException {
    return delegate.getTransactionIsolation();
  }

  @Override
  public Map<String, Class<?>> getTypeMap() throws SQLException {
    return delegate.getTypeMap();
  }

  @Override
  public SQLWarning getWarnings() throws SQLException {
    return delegate.getWarnings();
  }

  @Override
  public boolean isClosed() throws SQLException {
    return delegate.isClosed();
  }

  @Override
  public boolean isReadOnly() throws SQLException {
    return delegate.isReadOnly();
  }

  @Override
  public boolean isValid(int index) throws SQLException {
    return delegate.isValid(index);
  }

  @Override
  public String nativeSQL(String text) throws SQLException {
    return delegate.nativeSQL(text);
  }

  @Override
  public CallableStatement prepareCall(String text) throws SQLException {
    return delegate.prepareCall(text);
  }

  @Override
  public CallableStatement prepareCall(String text, int number, int number2) throws SQLException {
    return delegate.prepareCall(text, number, number2);
  }

  @Override
  public CallableStatement prepareCall(String text, int number, int number2, int number3)
      throws SQLException {
    return delegate.prepareCall(text, number, number2, number3);
  }

  @Override
  public PreparedStatement prepareStatement(String text) throws SQLException {
    return delegate.prepareStatement(text);
  }

  @Override
  public PreparedStatement prepareStatement(String text, int[] values) throws SQLException {
    return delegate.prepareStatement(text, values);
  }

  @Override
  public PreparedStatement prepareStatement(String text, String[] values) throws SQLException {
    return delegate.prepareStatement(text, values);
  }

  @Override
  public PreparedStatement prepareStatement(String text, int number) throws SQLException {
    return delegate.prepareStatement(text, number);
  }

  @Override
  public PreparedStatement prepareStatement(String text, int number, int number2)
      throws SQLException {
    return delegate.prepareStatement(text, number, number2);
  }

  @Override
  public PreparedStatement prepareStatement(String text, int number, int number2, int number3)
      throws SQLException {
    return delegate.prepareStatement(text, number, number2, number3);
  }

  @Override
  public void releaseSavepoint(Savepoint argument) throws SQLException {
    delegate.releaseSavepoint(argument);
  }

  @Override
  public void rollback() throws SQLException {
    delegate.rollback();
  }

  @Override
  public void rollback(Savepoint argument) throws SQLException {
    delegate.rollback(argument);
  }

  @Override
  public void setAutoCommit(boolean on) throws SQLException {
    delegate.setAutoCommit(on);
  }

  @Override
  public void setCatalog(String text) throws SQLException {
    delegate.setCatalog(text);
  }

  @Override
  public void setClientInfo(Properties argument) throws SQLClientInfoException {
    delegate.setClientInfo(argument);
  }

  @Override
  public void setClientInfo(String text, String name) throws SQLClientInfoException {
    delegate.setClientInfo(text, name);
  }

  @Override
  public void setHoldability(int index) throws SQLException {
    delegate.setHoldability(index);
  }

  @Override
  public void setNetworkTimeout(Executor executor, int number) throws SQLException {
    delegate.setNetworkTimeout(executor, number);
  }

  @Override
  public void setReadOnly(boolean on) throws SQLException {
    delegate.setReadOnly(on);
  }

  @Override
  public Savepoint setSavepoint() throws SQLException {
    return delegate.setSavepoint();
  }

  @Override
  public Savepoint setSavepoint(String text) throws SQLException {
    return delegate.setSavepoint(text);
  }

  @Override
  public void setSchema(String text) throws SQLException {
    delegate.setSchema(text);
  }

  @Override
  public void setShardingKey(ShardingKey argument) throws SQLException {
    delegate.setShardingKey(argument);
  }

  @Override
  public void setShardingKey(ShardingKey argument, ShardingKey value) throws SQLException {
    delegate.setShardingKey(argument, value);
  }

  @Override
  public boolean setShardingKeyIfValid(ShardingKey argument, int number) throws SQLException {
    return delegate.setShardingKeyIfValid(argument, number);
  }

  @Override
  public boolean setShardingKeyIfValid(ShardingKey argument, ShardingKey value, int number)
      throws SQLException {
    return delegate.setShardingKeyIfValid(argument, value, number);
  }

  @Override
  public void setTransactionIsolation(int index) throws SQLException {
    delegate.setTransactionIsolation(index);
  }

  @Override
  public void setTypeMap(Map<String, Class<?>> map) throws SQLException {
    delegate.setTypeMap(map);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return type.isInstance(this) ? type.cast(this) : delegate.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || delegate.isWrapperFor(type);
  }
}
