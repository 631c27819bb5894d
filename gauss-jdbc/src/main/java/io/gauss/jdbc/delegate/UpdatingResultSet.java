package io.gauss.jdbc.delegate;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;

/** A result set that also delegates the calls that set columns of the row. */
public abstract class UpdatingResultSet extends DelegatingResultSet {
  protected UpdatingResultSet(ResultSet delegate) {
    super(delegate);
  }

  /**
   * The result set, after a check that its connection may be used: setting a column queries the
   * server.
   */
  protected abstract ResultSet updating() throws SQLException;

  @Override
  public void updateNull(int column) throws SQLException {
    updating().updateNull(column);
  }

  @Override
  public void updateBoolean(int column, boolean value) throws SQLException {
    updating().updateBoolean(column, value);
  }

  @Override
  public void updateByte(int column, byte value) throws SQLException {
    updating().updateByte(column, value);
  }

  @Override
  public void updateShort(int column, short value) throws SQLException {
    updating().updateShort(column, value);
  }

  @Override
  public void updateInt(int column, int value) throws SQLException {
    updating().updateInt(column, value);
  }

  @Override
  public void updateLong(int column, long value) throws SQLException {
    updating().updateLong(column, value);
  }

  @Override
  public void updateFloat(int column, float value) throws SQLException {
    updating().updateFloat(column, value);
  }

  @Override
  public void updateDouble(int column, double value) throws SQLException {
    updating().updateDouble(column, value);
  }

  @Override
  public void updateBigDecimal(int column, BigDecimal value) throws SQLException {
    updating().updateBigDecimal(column, value);
  }

  @Override
  public void updateString(int column, String value) throws SQLException {
    updating().updateString(column, value);
  }

  @Override
  public void updateBytes(int column, byte[] value) throws SQLException {
    updating().updateBytes(column, value);
  }

  @Override
  public void updateDate(int column, Date value) throws SQLException {
    updating().updateDate(column, value);
  }

  @Override
  public void updateTime(int column, Time value) throws SQLException {
    updating().updateTime(column, value);
  }

  @Override
  public void updateTimestamp(int column, Timestamp value) throws SQLException {
    updating().updateTimestamp(column, value);
  }

  @Override
  public void updateAsciiStream(int column, InputStream value, int length) throws SQLException {
    updating().updateAsciiStream(column, value, length);
  }

  @Override
  public void updateBinaryStream(int column, InputStream value, int length) throws SQLException {
    updating().updateBinaryStream(column, value, length);
  }

  @Override
  public void updateCharacterStream(int column, Reader value, int length) throws SQLException {
    updating().updateCharacterStream(column, value, length);
  }

  @Override
  public void updateObject(int column, Object value, int length) throws SQLException {
    updating().updateObject(column, value, length);
  }

  @Override
  public void updateObject(int column, Object value) throws SQLException {
    updating().updateObject(column, value);
  }

  @Override
  public void updateNull(String label) throws SQLException {
    updating().updateNull(label);
  }

  @Override
  public void updateBoolean(String label, boolean value) throws SQLException {
    updating().updateBoolean(label, value);
  }

  @Override
  public void updateByte(String label, byte value) throws SQLException {
    updating().updateByte(label, value);
  }

  @Override
  public void updateShort(String label, short value) throws SQLException {
    updating().updateShort(label, value);
  }

  @Override
  public void updateInt(String label, int value) throws SQLException {
    updating().updateInt(label, value);
  }

  @Override
  public void updateLong(String label, long value) throws SQLException {
    updating().updateLong(label, value);
  }

  @Override
  public void updateFloat(String label, float value) throws SQLException {
    updating().updateFloat(label, value);
  }

  @Override
  public void updateDouble(String label, double value) throws SQLException {
    updating().updateDouble(label, value);
  }

  @Override
  public void updateBigDecimal(String label, BigDecimal value) throws SQLException {
    updating().updateBigDecimal(label, value);
  }

  @Override
  public void updateString(String label, String value) throws SQLException {
    updating().updateString(label, value);
  }

  @Override
  public void updateBytes(String label, byte[] value) throws SQLException {
    updating().updateBytes(label, value);
  }

  @Override
  public void updateDate(String label, Date value) throws SQLException {
    updating().updateDate(label, value);
  }

  @Override
  public void updateTime(String label, Time value) throws SQLException {
    updating().updateTime(label, value);
  }

  @Override
  public void updateTimestamp(String label, Timestamp value) throws SQLException {
    updating().updateTimestamp(label, value);
  }

  @Override
  public void updateAsciiStream(String label, InputStream value, int length) throws SQLException {
    updating().updateAsciiStream(label, value, length);
  }

  @Override
  public void updateBinaryStream(String label, InputStream value, int length) throws SQLException {
    updating().updateBinaryStream(label, value, length);
  }

  @Override
  public void updateCharacterStream(String label, Reader value, int length) throws SQLException {
    updating().updateCharacterStream(label, value, length);
  }

  @Override
  public void updateObject(String label, Object value, int length) throws SQLException {
    updating().updateObject(label, value, length);
  }

  @Override
  public void updateObject(String label, Object value) throws SQLException {
    updating().updateObject(label, value);
  }

  @Override
  public void updateRef(int column, Ref value) throws SQLException {
    updating().updateRef(column, value);
  }

  @Override
  public void updateRef(String label, Ref value) throws SQLException {
    updating().updateRef(label, value);
  }

  @Override
  public void updateBlob(int column, Blob value) throws SQLException {
    updating().updateBlob(column, value);
  }

  @Override
  public void updateBlob(String label, Blob value) throws SQLException {
    updating().updateBlob(label, value);
  }

  @Override
  public void updateClob(int column, Clob value) throws SQLException {
    updating().updateClob(column, value);
  }

  @Override
  public void updateClob(String label, Clob value) throws SQLException {
    updating().updateClob(label, value);
  }

  @Override
  public void updateArray(int column, Array value) throws SQLException {
    updating().updateArray(column, value);
  }

  @Override
  public void updateArray(String label, Array value) throws SQLException {
    updating().updateArray(label, value);
  }

  @Override
  public void updateRowId(int column, RowId value) throws SQLException {
    updating().updateRowId(column, value);
  }

  @Override
  public void updateRowId(String label, RowId value) throws SQLException {
    updating().updateRowId(label, value);
  }

  @Override
  public void updateNString(int column, String value) throws SQLException {
    updating().updateNString(column, value);
  }

  @Override
  public void updateNString(String label, String value) throws SQLException {
    updating().updateNString(label, value);
  }

  @Override
  public void updateNClob(int column, NClob value) throws SQLException {
    updating().updateNClob(column, value);
  }

  @Override
  public void updateNClob(String label, NClob value) throws SQLException {
    updating().updateNClob(label, value);
  }

  @Override
  public void updateSQLXML(int column, SQLXML value) throws SQLException {
    updating().updateSQLXML(column, value);
  }

  @Override
  public void updateSQLXML(String label, SQLXML value) throws SQLException {
    updating().updateSQLXML(label, value);
  }

  @Override
  public void updateNCharacterStream(int column, Reader value, long length) throws SQLException {
    updating().updateNCharacterStream(column, value, length);
  }

  @Override
  public void updateNCharacterStream(String label, Reader value, long length) throws SQLException {
    updating().updateNCharacterStream(label, value, length);
  }

  @Override
  public void updateAsciiStream(int column, InputStream value, long length) throws SQLException {
    updating().updateAsciiStream(column, value, length);
  }

  @Override
  public void updateBinaryStream(int column, InputStream value, long length) throws SQLException {
    updating().updateBinaryStream(column, value, length);
  }

  @Override
  public void updateCharacterStream(int column, Reader value, long length) throws SQLException {
    updating().updateCharacterStream(column, value, length);
  }

  @Override
  public void updateAsciiStream(String label, InputStream value, long length) throws SQLException {
    updating().updateAsciiStream(label, value, length);
  }

  @Override
  public void updateBinaryStream(String label, InputStream value, long length) throws SQLException {
    updating().updateBinaryStream(label, value, length);
  }

  @Override
  public void updateCharacterStream(String label, Reader value, long length) throws SQLException {
    updating().updateCharacterStream(label, value, length);
  }

  @Override
  public void updateBlob(int column, InputStream value, long length) throws SQLException {
    updating().updateBlob(column, value, length);
  }

  @Override
  public void updateBlob(String label, InputStream value, long length) throws SQLException {
    updating().updateBlob(label, value, length);
  }

  @Override
  public void updateClob(int column, Reader value, long length) throws SQLException {
    updating().updateClob(column, value, length);
  }

  @Override
  public void updateClob(String label, Reader value, long length) throws SQLException {
    updating().updateClob(label, value, length);
  }

  @Override
  public void updateNClob(int column, Reader value, long length) throws SQLException {
    updating().updateNClob(column, value, length);
  }

  @Override
  public void updateNClob(String label, Reader value, long length) throws SQLException {
    updating().updateNClob(label, value, length);
  }

  @Override
  public void updateNCharacterStream(int column, Reader value) throws SQLException {
    updating().updateNCharacterStream(column, value);
  }

  @Override
  public void updateNCharacterStream(String label, Reader value) throws SQLException {
    updating().updateNCharacterStream(label, value);
  }

  @Override
  public void updateAsciiStream(int column, InputStream value) throws SQLException {
    updating().updateAsciiStream(column, value);
  }

  @Override
  public void updateBinaryStream(int column, InputStream value) throws SQLException {
    updating().updateBinaryStream(column, value);
  }

  @Override
  public void updateCharacterStream(int column, Reader value) throws SQLException {
    updating().updateCharacterStream(column, value);
  }

  @Override
  public void updateAsciiStream(String label, InputStream value) throws SQLException {
    updating().updateAsciiStream(label, value);
  }

  @Override
  public void updateBinaryStream(String label, InputStream value) throws SQLException {
    updating().updateBinaryStream(label, value);
  }

  @Override
  public void updateCharacterStream(String label, Reader value) throws SQLException {
    updating().updateCharacterStream(label, value);
  }

  @Override
  public void updateBlob(int column, InputStream value) throws SQLException {
    updating().updateBlob(column, value);
  }

  @Override
  public void updateBlob(String label, InputStream value) throws SQLException {
    updating().updateBlob(label, value);
  }

  @Override
  public void updateClob(int column, Reader value) throws SQLException {
    updating().updateClob(column, value);
  }

  @Override
  public void updateClob(String label, Reader value) throws SQLException {
    updating().updateClob(label, value);
  }

  @Override
  public void updateNClob(int column, Reader value) throws SQLException {
    updating().updateNClob(column, value);
  }

  @Override
  public void updateNClob(String label, Reader value) throws SQLException {
    updating().updateNClob(label, value);
  }

  @Override
  public void updateObject(int column, Object value, SQLType type, int length) throws SQLException {
    updating().updateObject(column, value, type, length);
  }

  @Override
  public void updateObject(String label, Object value, SQLType type, int length)
      throws SQLException {
    updating().updateObject(label, value, type, length);
  }

  @Override
  public void updateObject(int column, Object value, SQLType type) throws SQLException {
    updating().updateObject(column, value, type);
  }

  @Override
  public void updateObject(String label, Object value, SQLType type) throws SQLException {
    updating().updateObject(label, value, type);
  }
}
